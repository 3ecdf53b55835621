//! Can this side still mate? (Articles 6.9, 5.1.2, 5.2.2, 7.5.5 of 2023)
