import { SimpleGrid, Stack, Text } from '@mantine/core';
import { CircleAlert, CircleCheck, CircleX } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { CodeBlock } from '#app/components/ui/code-block.tsx';
import { DefinitionList } from '#app/components/ui/definition-list.tsx';
import { Notice } from '#app/components/ui/error-message.tsx';
import { SelectField, SubmitButton, TextareaField, TextField } from '#app/components/ui/form-field.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { Refusal } from '#app/components/ui/refusal.tsx';
import { ToneBadge } from '#app/components/ui/tone-badge.tsx';
import { useT } from '#app/lib/language.tsx';
import { adminTexts } from '#app/locales/admin.ts';
import { KINDS } from '#server/generation/status.ts';
import type { DryRunView, ReadingView, RequestView } from '#server/providers/custom/dry-run/schemas.ts';
import { MONOSPACE } from './custom-styles.ts';
import type { SampleField } from './use-custom-form.ts';

type TryPanelProps = { field: SampleField; result: DryRunView | null };

/** Sample answers, and what the description makes of them. Nothing is sent anywhere. */
export function TryPanel({ field, result }: TryPanelProps) {
  const t = useT(adminTexts);
  const sample = field.getFieldset();
  const shown = useRef<HTMLDivElement>(null);
  // The panel scrolls by itself where it stands beside the description.
  useEffect(() => {
    if (result) shown.current?.scrollIntoView({ block: 'nearest' });
  }, [result]);
  return (
    <Panel id="try" title={t('custom.try.title')} description={t('custom.try.description')}>
      <Stack gap="md">
        <SimpleGrid cols={2}>
          <SelectField
            field={sample.kind}
            label={t('custom.try.kind')}
            options={KINDS.map((value) => ({ value, label: t(`kinds.${value}`) }))}
          />
          <TextField
            field={sample.model}
            label={t('custom.try.model')}
            placeholder={t('custom.try.modelExample')}
            autoComplete="off"
          />
        </SimpleGrid>
        <TextField
          field={sample.prompt}
          label={t('custom.try.prompt')}
          placeholder={t('custom.try.promptExample')}
          autoComplete="off"
        />
        <TextareaField
          field={sample.params}
          label={t('custom.try.params')}
          placeholder={'{"size":"1024x1024"}'}
          autosize
          minRows={1}
          styles={MONOSPACE}
        />
        <SampleAnswer field={sample.created} name="create" />
        <SampleAnswer field={sample.polled} name="poll" />
        <SampleAnswer field={sample.result} name="result" />
        <SubmitButton name="intent" value="dry-run" variant="default">
          {t('custom.try.run')}
        </SubmitButton>
        <div ref={shown} role="status" aria-label={t('custom.try.resultOf')}>
          {result ? <DryRunResult result={result} /> : null}
        </div>
      </Stack>
    </Panel>
  );
}

function SampleAnswer({
  field,
  name,
}: {
  field: ReturnType<SampleField['getFieldset']>['created'];
  name: 'create' | 'poll' | 'result';
}) {
  const t = useT(adminTexts);
  const { status, body } = field.getFieldset();
  return (
    <Stack gap={6}>
      <TextareaField
        field={body}
        label={t(`custom.try.answers.${name}`)}
        autosize
        minRows={2}
        maxRows={12}
        spellCheck={false}
        styles={MONOSPACE}
      />
      <TextField
        field={status}
        type="number"
        label={t(`custom.try.statuses.${name}`)}
        placeholder="200"
        maw={200}
        size="xs"
      />
    </Stack>
  );
}

function DryRunResult({ result: { problem, create, poll } }: { result: DryRunView }) {
  const t = useT(adminTexts);
  return (
    <Stack gap="md">
      {problem ? (
        <Notice tone="warning" title={t('custom.try.cannot')}>
          <Refusal of={[problem]} />
        </Notice>
      ) : null}
      {create.request ? <Request title={t('custom.try.createRequest')} request={create.request} /> : null}
      <Reading title={t('custom.try.createMeans')} reading={create.reading} />
      {poll?.requests.map((request, index) => (
        <Request
          key={request.url}
          title={index === 0 ? t('custom.try.pollRequest') : t('custom.try.resultRequest')}
          request={request}
        />
      ))}
      <Reading title={t('custom.try.pollMeans')} reading={poll?.reading ?? null} />
    </Stack>
  );
}

function Request({ title, request }: { title: string; request: RequestView }) {
  const head = [
    `${request.method} ${request.url}`,
    ...request.headers.map(({ name, value }) => `${name}: ${value}`),
  ].join('\n');
  return <CodeBlock label={title} value={request.body === null ? head : `${head}\n\n${request.body}`} />;
}

const ICONS = { good: CircleCheck, unsure: CircleAlert, bad: CircleX };

function Reading({ title, reading }: { title: string; reading: ReadingView | null }) {
  const t = useT(adminTexts);
  if (!reading) return null;
  const results = reading.facts.filter(({ name }) => name === 'result');
  const entries = reading.facts.map((fact) => {
    const note = fact.note ? t(`custom.try.notes.${fact.note}`) : '';
    const text = fact.value && note ? t('custom.try.noted', { value: fact.value, note }) : fact.value || note;
    const name =
      fact.name === 'result'
        ? t('custom.try.resultFact', { ordinal: results.indexOf(fact) + 1 })
        : t(`custom.try.facts.${fact.name}`);
    return [name, text] as const;
  });
  return (
    <section aria-label={title}>
      <ToneBadge tone={reading.tone} icon={ICONS[reading.tone]}>
        {t(`custom.try.outcomes.${reading.outcome}`)}
      </ToneBadge>
      <Text size="sm" my={6}>
        <Refusal of={[reading.sentence]} />
      </Text>
      <DefinitionList entries={entries} />
    </section>
  );
}
