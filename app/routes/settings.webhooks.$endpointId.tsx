import { Box, Button, Group, NativeSelect, Stack } from '@mantine/core';
import {
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
  type MetaFunction,
  redirect,
} from '@remix-run/node';
import { Form, useActionData, useLoaderData } from '@remix-run/react';
import { RotateCw, Send } from 'lucide-react';
import { textKey } from '#app/components/notifications/notification-words.ts';
import logClasses from '#app/components/notifications/webhooks/delivery-log.module.css';
import { DeliveryLog } from '#app/components/notifications/webhooks/delivery-log.tsx';
import { EditEndpointForm } from '#app/components/notifications/webhooks/edit-endpoint-form.tsx';
import { EndpointBadge } from '#app/components/notifications/webhooks/endpoint-table.tsx';
import { SecretNotice } from '#app/components/notifications/webhooks/secret-notice.tsx';
import { ActionErrors, ActionForm } from '#app/components/ui/action-form.tsx';
import { BackLink } from '#app/components/ui/back-link.tsx';
import { ConfirmButton } from '#app/components/ui/confirm-button.tsx';
import { EmptyState } from '#app/components/ui/empty-state.tsx';
import { Notice } from '#app/components/ui/error-message.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Pagination } from '#app/components/ui/pagination.tsx';
import { Panel, PanelBleed } from '#app/components/ui/panel.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { runForm } from '#app/lib/form.ts';
import { languageOf, useT } from '#app/lib/language.tsx';
import { isUuid, readChoice, readCursor } from '#app/lib/read-query.ts';
import { unknownForm } from '#app/lib/run-deed.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { useAutoRefresh } from '#app/lib/use-auto-refresh.ts';
import { notificationsTexts } from '#app/locales/notifications.ts';
import {
  DELIVERY_STATUSES,
  type DeliveryView,
  deliveryIdInput,
  type EndpointView,
  endpointIdInput,
  updateEndpointForm,
} from '#server/notifications/schemas.ts';

export const meta: MetaFunction = ({ matches }) => [
  { title: `${notificationsTexts.in(languageOf(matches))('webhooks.title')} · Sidelane` },
];

export async function loader({ request, params, context }: LoaderFunctionArgs) {
  const endpointId = params.endpointId ?? '';
  if (!isUuid(endpointId)) throw new Response('There is no such endpoint.', { status: 404 });
  const { url } = request;
  const status = readChoice(url, 'state', DELIVERY_STATUSES);
  const { webhookEndpoints } = context.trpc;
  const [endpoint, page] = await loadOrThrow(
    request,
    Promise.all([
      webhookEndpoints.get({ endpointId }),
      webhookEndpoints.deliveries({ endpointId, status, cursor: readCursor(url), limit: 20 }),
    ]),
  );
  return { endpoint, page, state: status ?? '' };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const form = await request.formData();
  const { webhookEndpoints } = context.trpc;
  const own = { schema: endpointIdInput };
  switch (form.get('intent')) {
    case 'update-endpoint':
      return runForm(request, form, {
        name: 'update-endpoint',
        schema: updateEndpointForm,
        run: async (input) => {
          await webhookEndpoints.update(input);
          return { done: 'saved' as const };
        },
      });
    case 'rotate-secret':
      return runForm(request, form, {
        ...own,
        name: 'rotate-secret',
        run: (input) => webhookEndpoints.rotateSecret(input),
      });
    case 'send-test':
      return runForm(request, form, {
        ...own,
        name: 'send-test',
        run: async (input) => {
          await webhookEndpoints.sendTest(input);
          return { done: 'tested' as const };
        },
      });
    case 'remove-endpoint':
      return runForm(request, form, {
        ...own,
        name: 'remove-endpoint',
        run: async (input) => {
          await webhookEndpoints.remove(input);
          return redirect('/settings/webhooks?removed=1');
        },
      });
    case 'resend':
      return runForm(request, form, {
        name: 'resend',
        schema: deliveryIdInput,
        run: async (input) => {
          await webhookEndpoints.resend(input);
          return { done: 'resent' as const };
        },
      });
    default:
      throw unknownForm();
  }
}

const REFRESH_MS = 3_000;

export default function EndpointPage() {
  const { endpoint, page, state } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const t = useT(notificationsTexts);
  useAutoRefresh(REFRESH_MS);
  const said = {
    saved: t('webhooks.saved'),
    tested: t('webhooks.tested'),
    resent: t('log.resent'),
  };
  return (
    <>
      <BackLink to="/settings/webhooks">{t('webhooks.back')}</BackLink>
      <PageHeader title={endpoint.description || t('webhooks.title')} actions={<Deeds endpoint={endpoint} />}>
        <Facts endpoint={endpoint} />
      </PageHeader>
      <Box role="status" mb={answer && 'done' in answer ? 'xl' : 0}>
        {answer && 'done' in answer ? <Notice tone="good">{said[answer.done]}</Notice> : null}
      </Box>
      <Stack gap="xl">
        {answer && 'secret' in answer ? <SecretNotice secret={answer.secret} kind="rotated" /> : null}
        <ActionErrors intents={['rotate-secret', 'send-test', 'remove-endpoint', 'resend']} />
        <Panel title={t('log.title')} id="deliveries" description={t('log.help')}>
          <LogFilter state={state} />
          {page.items.length > 0 ? (
            <PanelBleed>
              <DeliveryLog
                deliveries={page.items}
                actions={(delivery) => <Resend delivery={delivery} endpoint={endpoint} />}
              />
            </PanelBleed>
          ) : (
            <EmptyState icon={Send} title={state ? t('log.noneMatch') : t('log.none')}>
              {state ? null : t('log.noneHelp')}
            </EmptyState>
          )}
        </Panel>
        <Pagination nextCursor={page.nextCursor} label={t('log.pages')} />
        <Panel title={t('webhooks.settings')} id="settings">
          <EditEndpointForm endpoint={endpoint} key={endpoint.state} />
        </Panel>
      </Stack>
    </>
  );
}

function Facts({ endpoint }: { endpoint: EndpointView }) {
  const t = useT(notificationsTexts);
  return (
    <Stack gap={4}>
      <span style={{ overflowWrap: 'anywhere' }}>{endpoint.url}</span>
      <Group gap="xs">
        <EndpointBadge state={endpoint.state} />
        {endpoint.rotatingUntil ? (
          <span>
            {t('webhooks.rotating')} <TimeAgo at={endpoint.rotatingUntil} style="absolute" />
          </span>
        ) : null}
      </Group>
    </Stack>
  );
}

function Deeds({ endpoint }: { endpoint: EndpointView }) {
  const t = useT(notificationsTexts);
  const values = { endpointId: endpoint.id };
  return (
    <Group gap="xs">
      {endpoint.enabled ? (
        <ActionForm intent="send-test" values={values}>
          <Button type="submit" leftSection={<Send size={16} aria-hidden="true" />}>
            {t('webhooks.test')}
          </Button>
        </ActionForm>
      ) : null}
      <ActionForm intent="rotate-secret" values={values}>
        <ConfirmButton variant="default" confirmLabel={t('webhooks.rotateConfirm')}>
          {t('webhooks.rotate')}
        </ConfirmButton>
      </ActionForm>
      <ActionForm intent="remove-endpoint" values={values}>
        <ConfirmButton variant="default" confirmLabel={t('webhooks.removeConfirm')}>
          {t('webhooks.remove')}
        </ConfirmButton>
      </ActionForm>
    </Group>
  );
}

/** By its address, so that a view can be kept; works without a script. */
function LogFilter({ state }: { state: string }) {
  const t = useT(notificationsTexts);
  return (
    <Form method="get" className={logClasses.filters} key={state}>
      <NativeSelect
        label={t('log.filter')}
        name="state"
        defaultValue={state}
        data={[
          { value: '', label: t('log.any') },
          ...DELIVERY_STATUSES.map((value) => ({ value, label: t(`log.status.${value}`) })),
        ]}
      />
      <Button type="submit" variant="default">
        {t('log.show')}
      </Button>
    </Form>
  );
}

function Resend({ delivery, endpoint }: { delivery: DeliveryView; endpoint: EndpointView }) {
  const t = useT(notificationsTexts);
  if (!endpoint.enabled || delivery.status === 'pending') return null;
  return (
    <ActionForm intent="resend" values={{ deliveryId: delivery.id }}>
      <Button
        type="submit"
        size="xs"
        variant="default"
        leftSection={<RotateCw size={14} aria-hidden="true" />}
        aria-label={t('log.resendOf', {
          type: t(`webhooks.event.${textKey(delivery.eventType)}`),
          id: delivery.id,
        })}
      >
        {t('log.resend')}
      </Button>
    </ActionForm>
  );
}
