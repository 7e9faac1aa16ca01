import { Anchor, Code, Group, Text } from '@mantine/core';
import { Link } from '@remix-run/react';
import { CircleCheck, CirclePower } from 'lucide-react';
import { ActionForm } from '#app/components/ui/action-form.tsx';
import { DataTable } from '#app/components/ui/data-table.tsx';
import { SubmitButton } from '#app/components/ui/form-field.tsx';
import { ToneBadge } from '#app/components/ui/tone-badge.tsx';
import { useT } from '#app/lib/language.tsx';
import { useFormat } from '#app/lib/use-format.ts';
import { adminTexts } from '#app/locales/admin.ts';
import type { ModelNumbers } from '#server/overview/schemas.ts';
import type { AdminModelView } from '#server/providers/channels/models/schemas.ts';
import { percentOf } from './overview/percent-of.ts';

type ModelTableProps = {
  models: readonly AdminModelView[];
  withChannel: boolean;
  /** Of the last seven days; models that nobody used are not in it. */
  numbers?: readonly ModelNumbers[];
  /** Whether the rows stand in the order that people see, so that they can be moved. */
  isOrdered?: boolean;
};

/**
 * Models with their price, use and a switch; the page's action answers `intent=enable-model` and, where they can be
 * moved, `intent=move-model`.
 */
export function ModelTable({ models, withChannel, numbers, isOrdered = false }: ModelTableProps) {
  const t = useT(adminTexts);
  const format = useFormat();
  return (
    <DataTable
      label={t('models.title')}
      rows={models}
      rowKey={(model) => model.id}
      columns={[
        { head: t('models.columns.model'), primary: true, cell: (model) => <ModelName model={model} /> },
        { head: t('models.columns.kind'), cell: (model) => t(`kinds.${model.kind}`) },
        ...(withChannel
          ? [
              {
                head: t('models.columns.channel'),
                cell: (model: AdminModelView) => (
                  <Anchor component={Link} to={`/admin/channels/${model.channel.id}`}>
                    {model.channel.name}
                  </Anchor>
                ),
              },
            ]
          : []),
        { head: t('models.columns.price'), cell: (model) => format.price(model.price) },
        ...(numbers
          ? [
              {
                head: t('models.columns.used'),
                cell: (model: AdminModelView) => <Use numbers={numbersOf(numbers, model)} />,
              },
              {
                head: t('models.columns.time'),
                cell: (model: AdminModelView) => <TypicalTime numbers={numbersOf(numbers, model)} />,
              },
            ]
          : []),
        { head: t('models.columns.state'), cell: (model) => <ModelState model={model} /> },
        {
          head: t('models.columns.switch'),
          align: 'end',
          cell: (model) => (
            <Group gap="xs" justify="flex-end" wrap="nowrap">
              {isOrdered ? <MoveButtons model={model} models={models} /> : null}
              <ModelSwitch model={model} />
            </Group>
          ),
        },
      ]}
    />
  );
}

const numbersOf = (numbers: readonly ModelNumbers[], { id }: AdminModelView) =>
  numbers.find(({ modelId }) => modelId === id);

function ModelName({ model }: { model: AdminModelView }) {
  return (
    <>
      <Anchor component={Link} to={`/admin/models/${model.id}`} fw={600}>
        {model.title}
      </Anchor>
      <br />
      <Code>{model.slug}</Code>
    </>
  );
}

function Use({ numbers }: { numbers: ModelNumbers | undefined }) {
  const t = useT(adminTexts);
  const format = useFormat();
  const { submitted = 0, succeeded = 0, failed = 0 } = numbers ?? {};
  const percent = percentOf(succeeded, succeeded + failed);
  return (
    <div>
      {t('models.used', { count: submitted })}
      {percent ? (
        <Text size="xs" c="dimmed">
          {t('models.succeeded', { percent: format.percent(percent) })}
        </Text>
      ) : null}
    </div>
  );
}

function TypicalTime({ numbers }: { numbers: ModelNumbers | undefined }) {
  const t = useT(adminTexts);
  const format = useFormat();
  if (numbers?.p50Seconds == null || numbers.p95Seconds === null) return <>{t('none')}</>;
  return (
    <div>
      {format.duration(numbers.p50Seconds * 1_000)}
      <Text size="xs" c="dimmed">
        {t('models.upTo', { time: format.duration(numbers.p95Seconds * 1_000) })}
      </Text>
    </div>
  );
}

function ModelState({ model }: { model: AdminModelView }) {
  const t = useT(adminTexts);
  const offered = model.enabled && model.channel.enabled;
  return (
    <ToneBadge tone={offered ? 'good' : 'idle'} icon={offered ? CircleCheck : CirclePower}>
      {t(`models.state.${offered ? 'offered' : model.enabled ? 'channelOff' : 'off'}`)}
    </ToneBadge>
  );
}

function ModelSwitch({ model }: { model: AdminModelView }) {
  const t = useT(adminTexts);
  const word = model.enabled ? 'turnOff' : 'turnOn';
  return (
    <ActionForm intent="enable-model" values={{ modelId: model.id, enabled: model.enabled ? '' : 'on' }}>
      <SubmitButton
        variant="default"
        size="xs"
        name="of"
        value={model.id}
        aria-label={t(`models.${word}Of`, { model: model.title })}
      >
        {t(`models.${word}`)}
      </SubmitButton>
    </ActionForm>
  );
}

/** Models are ordered within their kind, so the first of a kind cannot go up. */
function MoveButtons({ model, models }: { model: AdminModelView; models: readonly AdminModelView[] }) {
  const t = useT(adminTexts);
  const ofKind = models.filter(({ kind }) => kind === model.kind);
  const place = ofKind.findIndex(({ id }) => id === model.id);
  const buttons = [
    { direction: 'up', label: t('models.moveUp', { model: model.title }), isThere: place > 0 },
    {
      direction: 'down',
      label: t('models.moveDown', { model: model.title }),
      isThere: place < ofKind.length - 1,
    },
  ] as const;
  return (
    <>
      {buttons.map(({ direction, label, isThere }) =>
        isThere ? (
          <ActionForm key={direction} intent="move-model" values={{ modelId: model.id, direction }}>
            <SubmitButton
              variant="default"
              size="xs"
              name="of"
              value={`${direction} ${model.id}`}
              aria-label={label}
            >
              {t(`models.${direction}`)}
            </SubmitButton>
          </ActionForm>
        ) : null,
      )}
    </>
  );
}
