import { Group, Pagination, Paper, Table, Text, VisuallyHidden } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useSearchParams } from 'react-router';
import { formatCount } from '../labels/format.ts';
import classes from './list.module.css';
import { Loaded, type LoadedProps } from './loaded.tsx';

/** In a file of its own, because the overview needs no lists; their pages take both from here. */

type Page = { page: number; total: number; totalPages: number };
type LoadedListProps<Data> = LoadedProps<Data> & { empty: ReactNode };

/** A page of a list, or what to show where the list has no entries. */
export const LoadedList = <Data extends { pagination: Page }>(props: LoadedListProps<Data>) => (
  <Loaded query={props.query} height={props.height}>
    {(data) => (data.pagination.total === 0 ? props.empty : props.children(data))}
  </Loaded>
);

/** The page of a list that the address names, so that it survives reloading and going back. */
export const usePageNumber = (): number => {
  const [search] = useSearchParams();
  const page = Number(search.get('page') ?? 1);
  return Number.isInteger(page) && page > 0 ? page : 1;
};

export const PageTurner = ({ pagination: { page, total, totalPages } }: { pagination: Page }) => {
  const [, setSearch] = useSearchParams();
  if (totalPages <= 1) return null;
  const turnTo = (target: number) =>
    setSearch((search) => {
      search.set('page', String(target));
      return search;
    });
  return (
    <Group justify="space-between" mt="md">
      <Text size="sm" c="dimmed">
        {formatCount(total)} in all
      </Text>
      <Pagination
        value={page}
        total={totalPages}
        onChange={turnTo}
        siblings={0}
        size="sm"
        getControlProps={(control) => ({ 'aria-label': `${control} page` })}
        getItemProps={(item) => ({ 'aria-label': `Page ${item}` })}
      />
    </Group>
  );
};

/** Changes one parameter of the address; another filter starts on its first page. */
export const useSearchParameter = () => {
  const [search, setSearch] = useSearchParams();
  const set = (name: string, value: string | null) =>
    setSearch((before) => {
      if (value) before.set(name, value);
      else before.delete(name);
      before.delete('page');
      return before;
    });
  return [search, set] as const;
};

export type Column<Row> = {
  header: string;
  cell: (row: Row) => ReactNode;
  /** Numbers are aligned to the right. */
  isNumber?: boolean;
  /** A box that selects the row: beside the row's title on a phone. */
  isSelection?: boolean;
  /** In the header of such a column: a box that selects all rows. */
  headerCell?: ReactNode;
  /** Told on the record's own page: a card in a list is short. */
  isHiddenOnPhone?: boolean;
};

type RecordTableProps<Row> = {
  /** What the rows are, for screen readers. */
  caption: string;
  columns: Column<Row>[];
  rows: Row[];
  idOf?: (row: Row) => string;
};

/** A table; on a phone each row becomes a card with the first column as its title. */
export const RecordTable = <Row extends { id?: string }>(props: RecordTableProps<Row>) => {
  const { caption, columns, rows, idOf = ({ id }) => id ?? '' } = props;
  const title = columns.find(({ isSelection }) => !isSelection);
  return (
    // Explicit roles, because the phone layout changes `display` and thereby drops the implicit ones.
    <Table className={classes.table} role="table" verticalSpacing="sm" highlightOnHover>
      <Table.Caption className={classes.caption}>
        <VisuallyHidden>{caption}</VisuallyHidden>
      </Table.Caption>
      <Table.Thead role="rowgroup">
        <Table.Tr role="row">
          {columns.map((column) => (
            <Table.Th
              key={column.header}
              role="columnheader"
              data-number={column.isNumber}
              ta={column.isNumber ? 'right' : undefined}
            >
              <HeaderCell {...column} />
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody role="rowgroup">
        {rows.map((row) => (
          <Table.Tr key={idOf(row)} role="row">
            {columns.map((column) => (
              <Table.Td
                key={column.header}
                role="cell"
                data-label={column.header}
                data-number={column.isNumber}
                data-title={column === title || undefined}
                data-selection={column.isSelection}
                data-wide={column.isHiddenOnPhone}
              >
                {column.cell(row)}
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
};

type HeaderCellProps = Pick<Column<never>, 'header' | 'isSelection' | 'headerCell'>;

const HeaderCell = ({ header, isSelection, headerCell }: HeaderCellProps) =>
  header && !isSelection ? (
    header
  ) : (
    <>
      {headerCell}
      {/* Also beside a box, which a phone does not show: a header without text would be none. */}
      <VisuallyHidden>{header || 'Actions'}</VisuallyHidden>
    </>
  );

type PagedTableProps<Row extends { id?: string }> = {
  query: UseQueryResult<{ data: Row[]; pagination: Page }>;
  height?: number;
  empty: ReactNode;
  caption: string;
  columns: Column<Row>[];
  /** The surroundings of a table that has rows. */
  frame?: (table: ReactNode) => ReactNode;
};

/** A list of records as a table with pages. */
export const PagedTable = <Row extends { id?: string }>(props: PagedTableProps<Row>) => {
  const { query, height, empty, caption, columns, frame = (table) => table } = props;
  return (
    <LoadedList query={query} height={height} empty={empty}>
      {({ data, pagination }) =>
        frame(
          <>
            <RecordTable caption={caption} columns={columns} rows={data} />
            <PageTurner pagination={pagination} />
          </>,
        )
      }
    </LoadedList>
  );
};

/** Around a table that is the only content of a page. */
export const tableFrame = (table: ReactNode) => (
  <Paper withBorder px="md" py="xs">
    {table}
  </Paper>
);
