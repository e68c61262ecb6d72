"""What web apps share: accounts and sessions, headers and bounds, pages for errors, page style, hosting."""
