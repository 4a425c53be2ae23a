# ends: stopped
"{:>99999999999}".format(1)
