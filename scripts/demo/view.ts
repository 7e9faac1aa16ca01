import type { ProgressRow } from './queries.ts';

const MONEY: Record<string, string> = {
  held: 'held',
  captured: 'charged',
  refunding: 'refund pending',
  refunded: 'refunded',
};

/** A live table on a terminal; elsewhere one plain line per change. */
export function createProgressView(): { show(rows: readonly ProgressRow[]): void; end(): void } {
  const live = process.stdout.isTTY === true;
  const last = new Map<string, string>();
  let drawn = 0;
  return {
    show(rows) {
      if (live) {
        if (drawn > 0) process.stdout.write(`\x1b[${drawn}A\x1b[J`);
        const lines = rows.map(liveLine);
        process.stdout.write(`${lines.join('\n')}\n`);
        drawn = lines.length;
        return;
      }
      for (const row of rows) {
        const state = `${row.status} ${MONEY[row.money] ?? row.money}`;
        if (last.get(row.id) === state) continue;
        last.set(row.id, state);
        console.log(
          `${row.seconds.toFixed(1).padStart(5)} s  ${label(row)}  ${row.status}, ${MONEY[row.money] ?? row.money}`,
        );
      }
    },
    end() {
      drawn = 0;
    },
  };
}

export function printTable(rows: readonly ProgressRow[]): void {
  console.log(
    '\nkind   upstream   status     files  held  charged  returned  money            seconds  prompt',
  );
  for (const row of rows) {
    console.log(
      [
        row.kind.padEnd(5),
        row.protocol.padEnd(9),
        row.status.padEnd(9),
        String(row.outputs).padStart(5),
        String(row.held).padStart(4),
        String(row.charged).padStart(7),
        String(row.returned).padStart(8),
        (MONEY[row.money] ?? row.money).padEnd(15),
        row.seconds.toFixed(1).padStart(7),
        row.prompt,
      ].join('  '),
    );
  }
}

function liveLine(row: ProgressRow): string {
  const filled = Math.round(((row.progress ?? 0) / 100) * 20);
  const bar = `${'█'.repeat(filled)}${'░'.repeat(20 - filled)}`;
  return `${label(row)}  ${bar}  ${row.status.padEnd(11)}  ${MONEY[row.money] ?? row.money}`;
}

function label(row: ProgressRow): string {
  return `${row.kind.padEnd(5)}  ${row.protocol.padEnd(9)}  ${row.prompt.slice(0, 40).padEnd(40)}`;
}
