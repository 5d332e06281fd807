[section]
key = value
