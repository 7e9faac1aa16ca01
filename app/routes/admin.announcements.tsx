import { Stack } from '@mantine/core';
import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { useActionData, useLoaderData } from '@remix-run/react';
import { CalendarClock, CircleCheck, CircleOff, Clock, type LucideIcon, Megaphone } from 'lucide-react';
import { AnnouncementForm } from '#app/components/admin/operations/announcement-form.tsx';
import { announcementForm, toAnnouncement } from '#app/components/admin/operations/announcement-schema.ts';
import { type Done, DoneNotice } from '#app/components/admin/operations/done-notice.tsx';
import classes from '#app/components/admin/operations/operations.module.css';
import { ActionErrors, ActionForm } from '#app/components/ui/action-form.tsx';
import { ConfirmButton } from '#app/components/ui/confirm-button.tsx';
import { DataTable } from '#app/components/ui/data-table.tsx';
import { EmptyState } from '#app/components/ui/empty-state.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Pagination } from '#app/components/ui/pagination.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { type Tone, ToneBadge } from '#app/components/ui/tone-badge.tsx';
import { deedName, readDeed } from '#app/lib/deed.ts';
import { languageOf, useT } from '#app/lib/language.tsx';
import { readCursor } from '#app/lib/read-query.ts';
import { runDeed, unknownForm } from '#app/lib/run-deed.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { operationsTexts } from '#app/locales/operations.ts';
import { type AnnouncementView, announcementIdInput } from '#server/operations/schemas.ts';

export const meta: MetaFunction = ({ matches }) => [
  { title: `${operationsTexts.in(languageOf(matches))('announcements.title')} · Sidelane` },
];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const cursor = readCursor(request.url);
  const page = await loadOrThrow(request, context.trpc.operations.announcements({ cursor, limit: 30 }));
  return { page, formKey: crypto.randomUUID() };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const form = await request.formData();
  const { operations } = context.trpc;
  switch (form.get('intent')) {
    case 'announce':
      return runDeed(
        { request, form },
        {
          intent: 'announce',
          schema: announcementForm,
          run: (input) => operations.announce(toAnnouncement(input)),
          done: 'announced' satisfies Done,
        },
      );
    case 'withdraw':
      return runDeed(
        { request, form },
        {
          intent: 'withdraw',
          idField: 'announcementId',
          schema: announcementIdInput,
          run: operations.withdrawAnnouncement,
          done: 'withdrawn' satisfies Done,
        },
      );
    default:
      throw unknownForm();
  }
}

export default function Announcements() {
  const t = useT(operationsTexts);
  const { page, formKey } = useLoaderData<typeof loader>();
  const deed = readDeed(useActionData<typeof action>());
  return (
    <>
      <PageHeader title={t('announcements.title')} edge={t('edge')}>
        {t('announcements.lead')}
      </PageHeader>
      <DoneNotice />
      <ActionErrors intents={page.items.map(({ id }) => deedName('withdraw', id))} />
      <Stack gap="xl">
        {page.items.length === 0 ? (
          <EmptyState icon={Megaphone} title={t('announcements.none')}>
            {t('announcements.noneText')}
          </EmptyState>
        ) : (
          <div>
            <Panel flush>
              <AnnouncementTable announcements={page.items} />
            </Panel>
            <Pagination nextCursor={page.nextCursor} label={t('announcements.listed')} />
          </div>
        )}
        {/* What was sent empties the form. */}
        <AnnouncementForm key={deed?.deed === 'announce' ? deed.key : 'first'} formKey={formKey} />
      </Stack>
    </>
  );
}

const LOOKS: Record<AnnouncementView['state'], { tone: Tone; icon: LucideIcon }> = {
  planned: { tone: 'busy', icon: CalendarClock },
  shown: { tone: 'good', icon: CircleCheck },
  over: { tone: 'idle', icon: Clock },
  withdrawn: { tone: 'idle', icon: CircleOff },
};

type Row = Omit<AnnouncementView, 'withdrawnAt'>;

function AnnouncementTable({ announcements }: { announcements: readonly Row[] }) {
  const t = useT(operationsTexts);
  return (
    <DataTable
      label={t('announcements.table')}
      rows={announcements}
      rowKey={({ id }) => id}
      columns={[
        {
          head: t('announcements.text'),
          primary: true,
          cell: ({ text, level, createdByEmail }) => (
            <div className={classes.text}>
              <span lang="en">{text.en}</span>
              <span className={classes.note} lang={text['zh-CN'] ? 'zh-CN' : undefined}>
                {text['zh-CN'] ?? t('announcements.noTranslation')}
              </span>
              <span className={classes.note}>
                {t(`announcements.levels.${level}`)} · {createdByEmail ?? t('commandLine')}
              </span>
            </div>
          ),
        },
        {
          head: t('announcements.state'),
          cell: ({ state }) => <ToneBadge {...LOOKS[state]}>{t(`announcements.states.${state}`)}</ToneBadge>,
        },
        {
          head: t('announcements.from'),
          cell: ({ startsAt }) => <TimeAgo at={startsAt} style="absolute" />,
        },
        {
          head: t('announcements.until'),
          cell: ({ endsAt }) =>
            endsAt ? <TimeAgo at={endsAt} style="absolute" /> : t('announcements.untilWithdrawn'),
        },
        {
          head: t('announcements.withdraw'),
          cell: ({ id, state, text }) =>
            state === 'planned' || state === 'shown' ? (
              <ActionForm intent="withdraw" values={{ announcementId: id }}>
                <ConfirmButton
                  size="xs"
                  variant="default"
                  confirmLabel={t('announcements.withdrawSure')}
                  aria-label={t('announcements.withdrawOne', { text: text.en })}
                >
                  {t('announcements.withdraw')}
                </ConfirmButton>
              </ActionForm>
            ) : (
              '–'
            ),
        },
      ]}
    />
  );
}
