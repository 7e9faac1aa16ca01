import { Button, Code } from '@mantine/core';
import { Link } from '@remix-run/react';
import { Trans } from 'react-i18next';
import { useT } from '#app/lib/language.tsx';
import { operationsTexts } from '#app/locales/operations.ts';
import { SetUpList } from './set-up-list.tsx';

type SetUpStepsProps = { hasChannel: boolean; hasModel: boolean; hasWorker: boolean };

/** First run: what is missing before a task can be submitted and finish by itself, one next step at a time. */
export function SetUpSteps({ hasChannel, hasModel, hasWorker }: SetUpStepsProps) {
  const t = useT(operationsTexts);
  return (
    <SetUpList
      steps={[
        {
          key: 'channel',
          title: t('steps.channel.title'),
          done: hasChannel,
          text: t('steps.channel.text'),
          action: (
            <Button component={Link} to="/admin/channels/new">
              {t('steps.channel.action')}
            </Button>
          ),
        },
        {
          key: 'model',
          title: t('steps.model.title'),
          done: hasModel,
          text: t('steps.model.text'),
          action: (
            <Button component={Link} to="/admin/models">
              {t('steps.model.action')}
            </Button>
          ),
        },
        {
          key: 'worker',
          title: t('steps.worker.title'),
          done: hasWorker,
          text: <WorkerWords i18nKey="steps.worker.text" />,
        },
      ]}
    />
  );
}

/** How a daemon is started, with its commands as code. */
export function WorkerWords({ i18nKey }: { i18nKey: 'steps.worker.text' | 'setup.worker.text' }) {
  const t = useT(operationsTexts);
  return (
    <Trans t={t} i18nKey={i18nKey} components={{ daemon: <Code />, token: <Code />, origin: <Code /> }} />
  );
}
