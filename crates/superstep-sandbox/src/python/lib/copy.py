def copy(value):
    if hasattr(value, "__copy__"):
        return value.__copy__()
    if isinstance(value, (list, dict, set)) and type(value) in (list, dict, set):
        return value.copy()
    if value is None or isinstance(value, (int, float, str, tuple, frozenset, bytes, range)):
        return value
    if hasattr(value, "copy"):
        return value.copy()
    if hasattr(value, "__dict__"):
        made = object.__new__(type(value))
        for name, attribute in vars(value).items():
            object.__setattr__(made, name, attribute)
        return made
    return value


def deepcopy(value, memo=None):
    if memo is None:
        memo = {}
    known = memo.get(id(value))
    if known is not None:
        return known
    if hasattr(value, "__deepcopy__"):
        return value.__deepcopy__(memo)
    kind = type(value)
    if kind is list:
        made = []
        memo[id(value)] = made
        for item in value:
            made.append(deepcopy(item, memo))
        return made
    if kind is dict:
        made = {}
        memo[id(value)] = made
        for key, item in value.items():
            made[key] = deepcopy(item, memo)
        return made
    if kind is tuple:
        return tuple([deepcopy(item, memo) for item in value])
    if kind is set:
        return {deepcopy(item, memo) for item in value}
    if value is None or isinstance(value, (int, float, str, frozenset, bytes, range)):
        return value
    if hasattr(value, "__copy__"):
        return value.__copy__()
    if hasattr(value, "copy"):
        return value.copy()
    if hasattr(value, "__dict__") and not isinstance(value, type):
        made = object.__new__(kind)
        memo[id(value)] = made
        for name, attribute in vars(value).items():
            object.__setattr__(made, name, deepcopy(attribute, memo))
        return made
    return value
