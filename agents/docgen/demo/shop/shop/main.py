from shop.cart import Cart

def main():
    print(Cart().total())
