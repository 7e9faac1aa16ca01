import { getCollectionProps, getFormProps } from '@conform-to/react';
import { Checkbox, Code, Group, Input, Stack, Text } from '@mantine/core';
import { Form } from '@remix-run/react';
import { KeyRound } from 'lucide-react';
import { ActionErrors, ActionForm } from '#app/components/ui/action-form.tsx';
import { ConfirmButton } from '#app/components/ui/confirm-button.tsx';
import { CopyField } from '#app/components/ui/copy-field.tsx';
import { DataTable } from '#app/components/ui/data-table.tsx';
import { EmptyState } from '#app/components/ui/empty-state.tsx';
import { Notice } from '#app/components/ui/error-message.tsx';
import { FormErrors, SubmitButton, TextField } from '#app/components/ui/form-field.tsx';
import { Panel, PanelBleed } from '#app/components/ui/panel.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { useZodForm } from '#app/lib/use-zod-form.ts';
import { type ApiTokenView, createTokenInput, SCOPES } from '#server/auth/schemas.ts';

export type CreatedToken = { name: string; secret: string };

type TokensPanelProps = {
  tokens: readonly ApiTokenView[];
  /** The token that was just made: the only time that its secret is known. */
  created: CreatedToken | null;
};

/** Tokens for other services: make one, see it once, revoke it. */
export function TokensPanel({ tokens, created }: TokensPanelProps) {
  return (
    <Panel
      title="API tokens"
      description="Other services call Sidelane with a token of yours. A token can do what its scopes say, nothing else."
    >
      <Stack gap="lg">
        {created ? (
          <Notice title={`Token "${created.name}" is ready`}>
            <Stack gap="xs">
              <Text size="sm">Copy it now. Only a digest is kept, so it cannot be shown again.</Text>
              <CopyField label={`Secret of token ${created.name}`} value={created.secret} />
            </Stack>
          </Notice>
        ) : null}
        <NewTokenForm key={created?.secret ?? 'empty'} />
        <ActionErrors intents={['revoke-token']} />
        {tokens.length === 0 ? (
          <EmptyState icon={KeyRound} title="No tokens">
            Name one above when a service of yours should submit tasks or read results.
          </EmptyState>
        ) : (
          <PanelBleed>
            <TokenTable tokens={tokens} />
          </PanelBleed>
        )}
      </Stack>
    </Panel>
  );
}

const SCOPE_WORDS: Record<(typeof SCOPES)[number], string> = {
  read: 'Read tasks, results and credits',
  submit: 'Submit and retry tasks (spends credits)',
  cancel: 'Cancel tasks',
};

function NewTokenForm() {
  const [form, fields] = useZodForm('create-token', createTokenInput, { defaultValue: { scopes: ['read'] } });
  return (
    <Form method="post" preventScrollReset {...getFormProps(form)}>
      <input type="hidden" name="intent" value="create-token" />
      <Stack gap="md">
        <FormErrors form={form} />
        <TextField
          field={fields.name}
          label="Name"
          description="Where it will be used."
          placeholder="render farm"
          autoComplete="off"
          maw={420}
        />
        <Input.Wrapper
          label="Scopes"
          labelElement="div"
          labelProps={{ id: `${fields.scopes.id}-label` }}
          error={fields.scopes.errors?.join(' ')}
          errorProps={{ id: fields.scopes.errorId }}
          role="group"
          aria-labelledby={`${fields.scopes.id}-label`}
        >
          <Stack gap="xs" mt={4}>
            {getCollectionProps(fields.scopes, {
              type: 'checkbox',
              options: [...SCOPES],
              ariaAttributes: false,
            }).map(({ key, ...box }) => (
              <Checkbox key={key} {...box} label={SCOPE_WORDS[box.value as (typeof SCOPES)[number]]} />
            ))}
          </Stack>
        </Input.Wrapper>
        <Group>
          <SubmitButton name="button" value="create-token">
            Create token
          </SubmitButton>
        </Group>
      </Stack>
    </Form>
  );
}

function TokenTable({ tokens }: { tokens: readonly ApiTokenView[] }) {
  return (
    <DataTable
      label="API tokens"
      rows={tokens}
      rowKey={(token) => token.id}
      columns={[
        {
          head: 'Name',
          primary: true,
          cell: (token) => (
            <>
              <Text fw={600} inline>
                {token.name}
              </Text>
              <Code>{token.prefix}…</Code>
            </>
          ),
        },
        { head: 'Scopes', cell: (token) => token.scopes.join(', ') },
        { head: 'Made', cell: (token) => <TimeAgo at={token.createdAt} /> },
        {
          head: 'Last used',
          cell: (token) => (token.lastUsedAt ? <TimeAgo at={token.lastUsedAt} /> : 'never'),
        },
        {
          head: 'Revoke',
          align: 'end',
          cell: (token) => (
            <ActionForm intent="revoke-token" values={{ tokenId: token.id }}>
              <ConfirmButton
                variant="default"
                size="xs"
                confirmLabel="Revoke it"
                aria-label={`Revoke token ${token.name}`}
              >
                Revoke
              </ConfirmButton>
            </ActionForm>
          ),
        },
      ]}
    />
  );
}
