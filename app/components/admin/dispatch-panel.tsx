import { CodeBlock } from '#app/components/ui/code-block.tsx';
import { DefinitionList } from '#app/components/ui/definition-list.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import type { DispatchView } from '#server/generation/schemas.ts';
import classes from './dispatch-panel.module.css';

/** Every dispatch of a task: whether it was sent, what came back, in the upstream's own (redacted) words. */
export function DispatchPanel({ dispatches }: { dispatches: readonly DispatchView[] }) {
  return (
    <Panel
      title="Dispatches"
      description="At most one upstream create each; a void one may be followed by another."
    >
      {dispatches.length === 0 ? (
        <p className={classes.none}>Nothing has been prepared for sending yet.</p>
      ) : (
        <ol className={classes.list}>
          {dispatches.map((dispatch) => (
            <li key={dispatch.id} className={classes.dispatch}>
              <h3 className={classes.title}>
                Dispatch {dispatch.number}: {outcomeOf(dispatch)}
              </h3>
              <DispatchFacts dispatch={dispatch} />
            </li>
          ))}
        </ol>
      )}
    </Panel>
  );
}

function outcomeOf(dispatch: DispatchView): string {
  if (dispatch.outcome) return dispatch.outcome.replaceAll('_', ' ');
  return dispatch.phase === 'sent' ? 'sent, outcome unknown' : 'prepared, not sent';
}

function DispatchFacts({ dispatch }: { dispatch: DispatchView }) {
  return (
    <>
      <DefinitionList
        entries={[
          ['Client reference', dispatch.id],
          ['Upstream id', dispatch.upstreamId],
          ['Sent', dispatch.sentAt ? <TimeAgo key="sent" at={dispatch.sentAt} style="absolute" /> : null],
          [
            'Answered',
            dispatch.outcomeAt ? <TimeAgo key="out" at={dispatch.outcomeAt} style="absolute" /> : null,
          ],
          ['Known from', dispatch.evidenceFrom?.replaceAll('_', ' ')],
          ['Error', [dispatch.errorCode, dispatch.errorMessage].filter(Boolean).join(': ')],
          ['Next late look', dispatch.nextWatchAt ? <TimeAgo key="watch" at={dispatch.nextWatchAt} /> : null],
        ]}
      />
      {dispatch.evidence === null || dispatch.evidence === undefined ? null : (
        <CodeBlock label={`Evidence of dispatch ${dispatch.number}`} value={dispatch.evidence} />
      )}
    </>
  );
}
