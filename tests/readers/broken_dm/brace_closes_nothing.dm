# DynaMechs V 4.0 ascii
}
