import { DefinitionList } from '#app/components/ui/definition-list.tsx';
import { useT } from '#app/lib/language.tsx';
import { useFormat } from '#app/lib/use-format.ts';
import { agentTexts } from '#app/locales/agent.ts';
import type { AgentView } from '#server/generation/agent/schemas.ts';
import classes from './agent.module.css';

/** What was ordered: goal, models, limits and reference files. */
export function AgentOrder({ view }: { view: AgentView }) {
  const t = useT(agentTexts);
  const format = useFormat();
  const { settings, references, modelTitle, allowedTitles } = view;
  return (
    <div className={classes.order}>
      <section aria-label={t('order.goal')} className={classes.goal}>
        {settings.goal}
      </section>
      <DefinitionList
        entries={[
          [t('order.model'), modelTitle],
          [
            t('order.allowed'),
            settings.allowed.map(({ model }) => allowedTitles[model] ?? model).join(t('order.comma')),
          ],
          [t('order.budget'), format.credits(settings.budgetCredits)],
          [t('order.steps'), settings.maxSteps],
          [t('order.approval'), t(`approval.${settings.approval}.title`)],
        ]}
      />
      {references.length > 0 ? (
        <ul className={classes.references} aria-label={t('order.references')}>
          {references.map((reference) => (
            <li key={reference.id}>
              <a href={`/files/uploads/${reference.id}`} title={reference.fileName}>
                {reference.mime.startsWith('image/') ? (
                  <img
                    src={`/files/uploads/${reference.id}`}
                    alt={reference.fileName}
                    width={64}
                    height={64}
                    loading="lazy"
                  />
                ) : (
                  reference.fileName
                )}
              </a>
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  );
}
