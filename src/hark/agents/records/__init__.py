"""The records that agents keep of their conversations: how hark reads these files, and what stands in them."""
