import type { ReactNode } from 'react';
import classes from './data-table.module.css';

type Column<Row> = {
  /** Head of the column, and the label of its cells on phones. */
  head: string;
  cell(row: Row): ReactNode;
  align?: 'start' | 'end';
  /** Heads the card on phones. */
  primary?: boolean;
};

type DataTableProps<Row> = {
  /** What is listed; the table's accessible name. */
  label: string;
  rows: readonly Row[];
  rowKey(row: Row): string;
  columns: readonly Column<Row>[];
};

/** A table on wide screens, a list of cards on phones, from the same markup. Roles keep it a table for both. */
export function DataTable<Row>({ label, rows, rowKey, columns }: DataTableProps<Row>) {
  return (
    <table className={classes.table} aria-label={label}>
      <thead className={classes.head}>
        <tr>
          {columns.map((column) => (
            <th key={column.head} scope="col" data-align={column.align}>
              {column.head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={rowKey(row)} className={classes.row}>
            {columns.map((column) => (
              <td
                key={column.head}
                className={classes.cell}
                data-label={column.head}
                data-align={column.align}
                data-primary={column.primary}
              >
                {column.cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
