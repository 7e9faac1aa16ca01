import { Button, Code } from '@mantine/core';
import { Link } from '@remix-run/react';
import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import classes from './set-up-steps.module.css';

type SetUpStepsProps = { hasChannel: boolean; hasModel: boolean; hasWorker: boolean };

/** First run: what is missing before a task can be submitted and finish by itself, one next step at a time. */
export function SetUpSteps({ hasChannel, hasModel, hasWorker }: SetUpStepsProps) {
  const steps: { title: string; done: boolean; text: ReactNode; action?: ReactNode }[] = [
    {
      title: 'Add a channel',
      done: hasChannel,
      text: 'An account at an upstream service: choose its protocol, then give its base URL and an API key.',
      action: (
        <Button component={Link} to="/admin/channels/new">
          Add a channel
        </Button>
      ),
    },
    {
      title: 'Offer a model',
      done: hasModel,
      text: 'Pick from the templates with the channel, or describe one by hand.',
      action: (
        <Button component={Link} to="/admin/models">
          Go to models
        </Button>
      ),
    },
    {
      title: 'Start a worker',
      done: hasWorker,
      text: (
        <>
          <Code>npm run daemon</Code> with this server’s <Code>MAINTENANCE_TOKEN</Code> and its address in{' '}
          <Code>SIDELANE_ORIGIN</Code>. It finishes tasks when nobody watches.
        </>
      ),
    },
  ];
  const next = steps.findIndex((step) => !step.done);
  return (
    <ol className={classes.root} aria-label="First steps">
      {steps.map(({ title, done, text, action }, index) => (
        <li
          key={title}
          className={classes.step}
          data-state={done ? 'done' : index === next ? 'next' : 'later'}
        >
          <span className={classes.mark} aria-hidden="true">
            {done ? <Check size={16} /> : index + 1}
          </span>
          <div>
            <p className={classes.title}>
              {title}
              {done ? <span className={classes.done}> · done</span> : null}
            </p>
            <p className={classes.text}>{text}</p>
            {index === next && action ? <div className={classes.action}>{action}</div> : null}
          </div>
        </li>
      ))}
    </ol>
  );
}
