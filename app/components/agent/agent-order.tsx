import { DefinitionList } from '#app/components/ui/definition-list.tsx';
import { formatCredits } from '#app/lib/format.ts';
import type { AgentView } from '#server/generation/agent/schemas.ts';
import classes from './agent.module.css';
import { approvalTitle } from './approval-cards.tsx';

/** What was ordered: goal, models, limits and reference files. */
export function AgentOrder({ view }: { view: AgentView }) {
  const { settings, references, modelTitle, allowedTitles } = view;
  return (
    <div className={classes.order}>
      <section aria-label="Goal" className={classes.goal}>
        {settings.goal}
      </section>
      <DefinitionList
        entries={[
          ['Language model', modelTitle],
          ['May use', settings.allowed.map(({ model }) => allowedTitles[model] ?? model).join(', ')],
          ['Budget', formatCredits(settings.budgetCredits)],
          ['Most steps', settings.maxSteps],
          ['Approval', approvalTitle(settings.approval)],
        ]}
      />
      {references.length > 0 ? (
        <ul className={classes.references} aria-label="Reference files">
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
