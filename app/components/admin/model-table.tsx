import { Anchor, Code } from '@mantine/core';
import { Link } from '@remix-run/react';
import { CircleCheck, CirclePower } from 'lucide-react';
import { ActionForm } from '#app/components/ui/action-form.tsx';
import { DataTable } from '#app/components/ui/data-table.tsx';
import { SubmitButton } from '#app/components/ui/form-field.tsx';
import { ToneBadge } from '#app/components/ui/tone-badge.tsx';
import { formatPrice } from '#app/lib/format.ts';
import type { AdminModelView } from '#server/providers/channels/models/schemas.ts';

/** Models with their price and a switch; the page's action answers `intent=enable-model`. */
export function ModelTable({
  models,
  withChannel,
}: {
  models: readonly AdminModelView[];
  withChannel: boolean;
}) {
  return (
    <DataTable
      label="Models"
      rows={models}
      rowKey={(model) => model.id}
      columns={[
        { head: 'Model', primary: true, cell: (model) => <ModelName model={model} /> },
        { head: 'Kind', cell: (model) => model.kind },
        ...(withChannel
          ? [
              {
                head: 'Channel',
                cell: (model: AdminModelView) => (
                  <Anchor component={Link} to={`/admin/channels/${model.channel.id}`}>
                    {model.channel.name}
                  </Anchor>
                ),
              },
            ]
          : []),
        { head: 'Price', cell: (model) => formatPrice(model.price) },
        { head: 'State', cell: (model) => <ModelState model={model} /> },
        { head: 'Switch', align: 'end', cell: (model) => <ModelSwitch model={model} /> },
      ]}
    />
  );
}

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

function ModelState({ model }: { model: AdminModelView }) {
  const offered = model.enabled && model.channel.enabled;
  return (
    <ToneBadge tone={offered ? 'good' : 'idle'} icon={offered ? CircleCheck : CirclePower}>
      {offered ? 'Offered' : model.enabled ? 'Channel is off' : 'Off'}
    </ToneBadge>
  );
}

function ModelSwitch({ model }: { model: AdminModelView }) {
  const word = model.enabled ? 'Turn off' : 'Turn on';
  return (
    <ActionForm intent="enable-model" values={{ modelId: model.id, enabled: model.enabled ? '' : 'on' }}>
      <SubmitButton
        variant="default"
        size="xs"
        name="of"
        value={model.id}
        aria-label={`${word} ${model.title}`}
      >
        {word}
      </SubmitButton>
    </ActionForm>
  );
}
