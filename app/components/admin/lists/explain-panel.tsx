import { Text } from '@mantine/core';
import type { TFunction } from 'i18next';
import { CircleCheck, CirclePause } from 'lucide-react';
import { Trans } from 'react-i18next';
import { Panel } from '#app/components/ui/panel.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { useT } from '#app/lib/language.tsx';
import { adminListsTexts } from '#app/locales/admin-lists.ts';
import type { TaskCheck, TaskExplanation } from '#server/generation/admin/schemas.ts';
import classes from './lists.module.css';

/** Why a live task is taken up now, or is not: each condition of the claim with what it compared. */
export function ExplainPanel({ explanation }: { explanation: TaskExplanation | null }) {
  const t = useT(adminListsTexts);
  if (!explanation) return null;
  const { claimable, checks, ends } = explanation;
  return (
    <Panel
      title={t('explain.title')}
      id="explain"
      description={claimable ? t('explain.claimable') : t('explain.heldBack')}
    >
      <ul className={classes.checks}>
        {checks.map((check) => (
          <li key={check.code}>
            {check.holds ? (
              <CircleCheck size={18} className={classes.holds} aria-label={t('explain.holds')} />
            ) : (
              <CirclePause size={18} className={classes.fails} aria-label={t('explain.fails')} />
            )}
            <span>
              <Words check={check} t={t} />
            </span>
          </li>
        ))}
      </ul>
      {ends ? (
        <Text size="sm" c="dimmed" mt="md">
          <Trans
            t={t}
            i18nKey={`explain.ends.${ends.by}`}
            components={{ at: <TimeAgo at={ends.at} style="both" /> }}
          />
        </Text>
      ) : null}
    </Panel>
  );
}

function Words({ check, t }: { check: TaskCheck; t: TFunction<'adminLists'> }) {
  const state = check.holds ? 'yes' : 'no';
  switch (check.code) {
    case 'due':
      return (
        <Trans
          t={t}
          i18nKey={`explain.due.${state}`}
          components={{ at: <TimeAgo at={check.at} style="both" /> }}
        />
      );
    case 'unleased':
      return check.until ? (
        <Trans
          t={t}
          i18nKey="explain.unleased.no"
          values={{ worker: check.worker ?? t('explain.page') }}
          components={{ at: <TimeAgo at={check.until} /> }}
        />
      ) : (
        t('explain.unleased.yes')
      );
    case 'channel_enabled':
      return t(`explain.channelEnabled.${state}`, { channel: check.channel });
    case 'channel_open':
      return check.until && !check.holds ? (
        <Trans
          t={t}
          i18nKey="explain.channelOpen.no"
          values={{ channel: check.channel }}
          components={{ at: <TimeAgo at={check.until} /> }}
        />
      ) : (
        t('explain.channelOpen.yes', { channel: check.channel })
      );
    case 'channel_takes':
      return check.from ? (
        <Trans
          t={t}
          i18nKey="explain.channelTakes.no"
          values={{ channel: check.channel }}
          components={{ at: <TimeAgo at={check.from} /> }}
        />
      ) : (
        t('explain.channelTakes.yes', { channel: check.channel })
      );
    case 'channel_room':
      return t('explain.channelRoom', { channel: check.channel, count: check.count, most: check.most });
    case 'user_room':
      return t('explain.userRoom', { count: check.count, most: check.most });
  }
}
