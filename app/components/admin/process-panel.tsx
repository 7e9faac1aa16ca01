import { Code, Text } from '@mantine/core';
import { DataTable } from '#app/components/ui/data-table.tsx';
import { Notice } from '#app/components/ui/error-message.tsx';
import { FactList } from '#app/components/ui/fact-list.tsx';
import { Panel, PanelBleed } from '#app/components/ui/panel.tsx';
import { useT } from '#app/lib/language.tsx';
import { useFormat } from '#app/lib/use-format.ts';
import { adminTexts } from '#app/locales/admin.ts';
import type { ProcessesView } from '#server/overview/schemas.ts';

/** The web process that answers this page, and which executors hold leases. */
export function ProcessPanel({ processes: { self, executors } }: { processes: ProcessesView }) {
  const t = useT(adminTexts);
  const format = useFormat();
  return (
    <Panel id="web-processes" title={t('processes.title')} description={t('processes.description')}>
      {self.draining ? <Notice tone="warning">{t('processes.draining')}</Notice> : null}
      <FactList
        facts={[
          { label: t('processes.uptime'), value: format.duration(self.uptimeSeconds * 1_000) },
          ...self.slots.map(({ slot, used, size }) => ({
            label: t(`processes.slots.${slot}`),
            value: t('overview.facts.of', { some: format.integer(used), all: format.integer(size) }),
          })),
        ]}
      />
      {executors.length === 0 ? (
        <Text size="sm">{t('processes.noLeases')}</Text>
      ) : (
        <PanelBleed>
          <DataTable
            label={t('processes.executors')}
            rows={executors}
            rowKey={({ executorId }) => executorId}
            columns={[
              {
                head: t('processes.executor'),
                primary: true,
                cell: ({ executorId, isSelf }) => (
                  <>
                    <Code>{executorId}</Code> {isSelf ? t('processes.self') : null}
                  </>
                ),
              },
              { head: t('processes.leases'), align: 'end', cell: ({ leases }) => format.integer(leases) },
            ]}
          />
        </PanelBleed>
      )}
    </Panel>
  );
}
