"""Dictionary-encoded Arrow tables of keys: texts become integer codes, so each text is processed once."""

from collections.abc import Sequence
from typing import Any

# Arrow's plain strings hold at most 2 GiB of text in one chunk; large strings hold more, but are grouped far more
# slowly.
PLAIN_BYTES = 2**31 - 1
# Integers within this range are coded by their offset from the smallest one.
MOST_WHOLE = 2**31
MOST_NUMBERS = 2**62


def encode_texts(table: Any) -> Any:
    """Return the table with texts as dictionary codes and without the reader's nullability.

    Tables of different schema cannot be merged."""
    import pyarrow

    return pyarrow.table({name: _encoded(table[name]) for name in table.column_names})


def _encoded(column: Any) -> Any:
    import pyarrow

    if not (pyarrow.types.is_string(column.type) or pyarrow.types.is_large_string(column.type)):
        return column
    fits = column if column.nbytes <= PLAIN_BYTES else column.cast(pyarrow.large_string())
    # One chunk: with several, each chunk would have a dictionary of its own.
    return pyarrow.chunked_array([fits.combine_chunks().dictionary_encode()])


def row_numbers(keys: Any) -> Any:
    """Return an int64 array with a number for each row of a coded table; equal rows have equal numbers.

    The numbers follow the order of the rows, nulls last, if the codes are sorted (`sort_codes`)."""
    import numpy

    numbers: Any = None
    many = 1
    for column in keys.itercolumns():
        codes, size = _codes(column.combine_chunks())
        if many * size > MOST_NUMBERS:
            dense, numbers = numpy.unique(numbers, return_inverse=True)
            many = len(dense)
        numbers, many = codes if numbers is None else numbers * size + codes, many * size
    return numbers


def _codes(column: Any) -> tuple[Any, int]:
    """Return codes of a column's values and the number of possible codes.

    Codes start at 0; nulls have the last one."""
    import numpy
    from pyarrow import compute

    if _is_coded(column):
        size = len(column.dictionary)
        return column.indices.fill_null(size).to_numpy().astype("int64"), size + 1
    least, most = (compute.min_max(column)[name].as_py() or 0 for name in ("min", "max"))
    size = most - least + 1
    if size < MOST_WHOLE:
        return compute.subtract(column, least).fill_null(size).to_numpy(), size + 1
    dense = column.dictionary_encode()
    order, ranks = numpy.unique(dense.dictionary.to_numpy(), return_inverse=True)
    return numpy.append(ranks, len(order))[dense.indices.fill_null(-1).to_numpy()], len(order) + 1


def starts_of(numbers: Any) -> Any:
    """Return the positions at which each distinct number of a sorted array begins."""
    import numpy

    return numpy.flatnonzero(numpy.diff(numbers, prepend=numbers[:1] - 1))


def _is_coded(column: Any) -> bool:
    import pyarrow

    return bool(pyarrow.types.is_dictionary(column.type))


def concatenated(pieces: Sequence[Any]) -> Any:
    """Concatenate tables (at least one) into one table with one dictionary per column."""
    import pyarrow

    names = pieces[0].column_names
    return pyarrow.table({name: _unified([chunk for each in pieces for chunk in each[name].chunks]) for name in names})


def _unified(chunks: Sequence[Any]) -> Any:
    import pyarrow

    if not _is_coded(chunks[0]) or all(each.dictionary.equals(chunks[0].dictionary) for each in chunks):
        return pyarrow.chunked_array(chunks)
    same_type, size = len({each.type for each in chunks}) == 1, sum(each.dictionary.nbytes for each in chunks)
    wide = pyarrow.dictionary(pyarrow.int32(), pyarrow.large_string())
    fitting = chunks if same_type and size <= PLAIN_BYTES else [each.cast(wide) for each in chunks]
    return pyarrow.chunked_array(fitting).unify_dictionaries()


def sort_codes(table: Any) -> Any:
    """Return the coded table with codes in the order of the texts."""
    import pyarrow

    return pyarrow.table({name: _ranked(table[name]) for name in table.column_names})


def _ranked(column: Any) -> Any:
    import pyarrow
    from pyarrow import compute

    if not _is_coded(column):
        return column
    whole = _unified(column.chunks).combine_chunks()
    texts = whole.dictionary
    order = compute.sort_indices(texts)
    if order.equals(pyarrow.arange(0, len(texts), 1).cast(order.type)):
        return pyarrow.chunked_array([whole])
    codes = compute.inverse_permutation(order.cast(pyarrow.int32())).take(whole.indices)
    return pyarrow.chunked_array([pyarrow.DictionaryArray.from_arrays(codes, texts.take(order))])


def ordered(table: Any) -> Any:
    """Return the table with plain texts, sorted by its keys.

    Equal counts then have equal bytes."""
    import pyarrow
    from pyarrow import compute

    tidy = sort_codes(table)
    keys = [name for name in tidy.column_names if name != "n"]
    ranks = pyarrow.table({name: _indices(tidy[name]) for name in keys})
    return plain(tidy.take(compute.sort_indices(ranks, sort_keys=[(name, "ascending") for name in keys])))


def _indices(column: Any) -> Any:
    return column.combine_chunks().indices if _is_coded(column) else column


def plain(table: Any) -> Any:
    import pyarrow

    return pyarrow.table({name: _decoded(table[name]) for name in table.column_names})


def _decoded(column: Any) -> Any:
    import pyarrow
    from pyarrow import compute

    if not _is_coded(column):
        return column
    sizes = (compute.sum(compute.binary_length(each.dictionary).take(each.indices)) for each in column.chunks)
    fits = sum(size.as_py() or 0 for size in sizes) <= PLAIN_BYTES
    return column.cast(pyarrow.string() if fits else pyarrow.large_string())
