import { Table, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './record-table.module.css';

export type Column<Row> = {
  header: string;
  cell: (row: Row) => ReactNode;
  /** Numbers stand on the right. */
  isNumber?: boolean;
};

type RecordTableProps<Row> = {
  /** What the rows are, for those who cannot see the table. */
  caption: string;
  columns: Column<Row>[];
  rows: Row[];
  idOf?: (row: Row) => string;
};

/** Records side by side; on a phone each one as a card of its own. */
export const RecordTable = <Row extends { id?: string }>(props: RecordTableProps<Row>) => {
  const { caption, columns, rows, idOf = ({ id }) => id ?? '' } = props;
  return (
    // The roles are said outright: a phone's layout would take them from the elements.
    <Table className={classes.table} role="table" verticalSpacing="sm" highlightOnHover>
      <Table.Caption className={classes.caption}>
        <VisuallyHidden>{caption}</VisuallyHidden>
      </Table.Caption>
      <Table.Thead role="rowgroup">
        <Table.Tr role="row">
          {columns.map(({ header, isNumber }) => (
            <Table.Th key={header} role="columnheader" ta={isNumber ? 'right' : undefined}>
              {header || <VisuallyHidden>Actions</VisuallyHidden>}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody role="rowgroup">
        {rows.map((row) => (
          <Table.Tr key={idOf(row)} role="row">
            {columns.map(({ header, cell, isNumber }) => (
              <Table.Td key={header} role="cell" data-label={header} data-number={isNumber}>
                {cell(row)}
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
};
