"""What all readers of files share: formats and limits, problems and their codes, streams, and the two programs that
decode Parquet and workbooks in processes of their own, which therefore load little. Uses no database."""
