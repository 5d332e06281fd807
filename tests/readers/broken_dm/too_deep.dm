# DynaMechs V 4.0 ascii
Articulation {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
Branch {
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
