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
import { useT } from '#app/lib/language.tsx';
import { useErrorWords } from '#app/lib/use-error-words.ts';
import { useZodForm } from '#app/lib/use-zod-form.ts';
import { accountTexts } from '#app/locales/account.ts';
import { type ApiTokenView, createTokenInput, SCOPES } from '#server/auth/schemas.ts';

export type CreatedToken = { name: string; secret: string };

type TokensPanelProps = {
  tokens: readonly ApiTokenView[];
  /** The token that was just made: the only time that its secret is known. */
  created: CreatedToken | null;
};

/** Tokens for other services: make one, see it once, revoke it. */
export function TokensPanel({ tokens, created }: TokensPanelProps) {
  const t = useT(accountTexts);
  return (
    <Panel title={t('tokens.panel')} id="tokens">
      <Stack gap="lg">
        {created ? (
          <Notice title={t('tokens.ready', { name: created.name })}>
            <Stack gap="xs">
              <Text size="sm">{t('tokens.copyNow')}</Text>
              <CopyField label={t('tokens.secret', { name: created.name })} value={created.secret} />
            </Stack>
          </Notice>
        ) : null}
        <NewTokenForm key={created?.secret ?? 'empty'} />
        <ActionErrors intents={['revoke-token']} />
        {tokens.length === 0 ? (
          <EmptyState icon={KeyRound} title={t('tokens.none')}>
            {t('tokens.noneHelp')}
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

function NewTokenForm() {
  const t = useT(accountTexts);
  const words = useErrorWords();
  const [form, fields] = useZodForm('create-token', createTokenInput, { defaultValue: { scopes: ['read'] } });
  return (
    <Form method="post" preventScrollReset {...getFormProps(form)}>
      <input type="hidden" name="intent" value="create-token" />
      <Stack gap="md">
        <FormErrors form={form} />
        <TextField
          field={fields.name}
          label={t('tokens.name')}
          description={t('tokens.nameHelp')}
          placeholder={t('tokens.namePlaceholder')}
          autoComplete="off"
          maw={420}
        />
        <Input.Wrapper
          label={t('tokens.scopes')}
          labelElement="div"
          labelProps={{ id: `${fields.scopes.id}-label` }}
          error={fields.scopes.errors?.length ? words(fields.scopes.errors) : undefined}
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
              <Checkbox
                key={key}
                {...box}
                label={t(`tokens.scope.${box.value as (typeof SCOPES)[number]}`)}
              />
            ))}
          </Stack>
        </Input.Wrapper>
        <Group>
          <SubmitButton name="button" value="create-token">
            {t('tokens.create')}
          </SubmitButton>
        </Group>
      </Stack>
    </Form>
  );
}

function TokenTable({ tokens }: { tokens: readonly ApiTokenView[] }) {
  const t = useT(accountTexts);
  return (
    <DataTable
      label={t('tokens.title')}
      rows={tokens}
      rowKey={(token) => token.id}
      columns={[
        {
          head: t('tokens.name'),
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
        {
          head: t('tokens.scopes'),
          cell: (token) => token.scopes.map((scope) => t(`tokens.scopeShort.${scope}`)).join(', '),
        },
        { head: t('tokens.made'), cell: (token) => <TimeAgo at={token.createdAt} /> },
        {
          head: t('tokens.lastUsed'),
          cell: (token) => (token.lastUsedAt ? <TimeAgo at={token.lastUsedAt} /> : t('tokens.never')),
        },
        {
          head: t('tokens.revoke'),
          align: 'end',
          cell: (token) => (
            <ActionForm intent="revoke-token" values={{ tokenId: token.id }}>
              <ConfirmButton
                variant="default"
                size="xs"
                confirmLabel={t('tokens.revokeIt')}
                aria-label={t('tokens.revokeLabel', { name: token.name })}
              >
                {t('tokens.revoke')}
              </ConfirmButton>
            </ActionForm>
          ),
        },
      ]}
    />
  );
}
