import { Button } from '@mantine/core';
import { Link, useNavigate } from '@remix-run/react';
import { PencilOff } from 'lucide-react';
import type { ReactNode } from 'react';
import { workbenchHref } from '#app/components/task-list/workbench-query.ts';
import { EmptyState } from '#app/components/ui/empty-state.tsx';
import { ErrorMessage } from '#app/components/ui/error-message.tsx';
import { useT } from '#app/lib/language.tsx';
import { workbenchTexts } from '#app/locales/workbench.ts';
import type { PrefillView } from '#server/generation/prompts/schemas.ts';
import type { ModelView } from '#server/generation/schemas.ts';
import type { Kind } from '#server/generation/status.ts';
import { askQuote } from './ask-quote.ts';
import classes from './composer.module.css';
import { Composer } from './composer.tsx';
import { chooseComposer, composerAction } from './composer-query.ts';
import type { ComposerReply } from './composer-reply.ts';
import { KindTabs } from './kind-tabs.tsx';
import { ModelPicker } from './model-picker.tsx';
import { promptApi } from './prompt-api.ts';

type ComposerPanelProps = {
  models: readonly ModelView[];
  /** Of the page's address. */
  params: URLSearchParams;
  prefill: PrefillView | null;
  requestKey: string;
  reply: ComposerReply | undefined;
  user: { id: string; role: string } | null | undefined;
  balanceCredits: number;
  owedCredits: number;
  /** Below the button. */
  children?: ReactNode;
};

/** Everything to order one result: what to make, with which model, and the form. */
export function ComposerPanel(props: ComposerPanelProps) {
  const { models, params, prefill, user } = props;
  const t = useT(workbenchTexts);
  const navigate = useNavigate();
  const { kind, model, isReferenceLost } = chooseComposer(models, params, prefill);
  // What an address brings along is for the kind it names.
  const left = { from: null, reference: null, role: null };
  return (
    <>
      <KindTabs kind={kind} hrefFor={(make) => hrefWith(params, { ...left, make, model: null })} />
      {model ? (
        <>
          <ModelPicker
            models={models.filter((each) => each.kind === kind)}
            chosen={model}
            hrefFor={(each) => hrefWith(params, { make: each.kind, model: each.slug })}
          />
          {isReferenceLost ? <ErrorMessage message={t('references.noModel')} /> : null}
          <Composer
            model={model}
            action={composerAction(params, model)}
            balanceCredits={props.balanceCredits}
            owedCredits={props.owedCredits}
            requestKey={props.requestKey}
            reply={props.reply}
            prefill={prefill}
            referenceRole={params.has('reference') ? params.get('role') : null}
            draftOwner={user?.id}
            onModel={
              params.has('model')
                ? undefined
                : (slug) =>
                    navigate(hrefWith(params, { make: kind, model: slug }), {
                      replace: true,
                      preventScrollReset: true,
                    })
            }
            askQuote={askQuote}
            promptApi={promptApi}
          >
            {props.children}
          </Composer>
        </>
      ) : (
        <NoModel kind={kind} isAdmin={user?.role === 'admin'} hasModels={models.length > 0} />
      )}
    </>
  );
}

function hrefWith(params: URLSearchParams, changes: Record<string, string | null>): string {
  const next = new URLSearchParams(params);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) next.delete(name);
    else next.set(name, value);
  }
  return workbenchHref(next, {});
}

type NoModelProps = { kind: Kind; isAdmin: boolean; hasModels: boolean };

/** Says what to do: an administrator can do it, everybody else has to ask one. */
function NoModel({ kind, isAdmin, hasModels }: NoModelProps) {
  const t = useT(workbenchTexts);
  if (!isAdmin)
    return (
      <EmptyState icon={PencilOff} title={t(`empty.${kind}`)}>
        {t('empty.ask')}
      </EmptyState>
    );
  const to = hasModels ? '/admin/channels' : '/admin/setup';
  return (
    <div className={classes.empty}>
      <EmptyState
        icon={PencilOff}
        title={t(`empty.${kind}`)}
        action={
          <Button component={Link} to={to} variant={hasModels ? 'default' : 'filled'}>
            {t(hasModels ? 'empty.channels' : 'empty.setUp')}
          </Button>
        }
      >
        {t(hasModels ? 'empty.add' : 'empty.noModels')}
      </EmptyState>
    </div>
  );
}
