   

# only a comment
