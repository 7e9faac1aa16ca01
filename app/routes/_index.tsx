import { Button, Group } from '@mantine/core';
import type { LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { ArrowRight } from 'lucide-react';
import { SideLaneDiagram } from '#app/components/landing/side-lane-diagram.tsx';
import { FilmStrip } from '#app/components/layout/film-strip.tsx';
import classes from './_index.module.css';

export const meta: MetaFunction = () => [
  { title: 'Sidelane · generations that finish without you' },
  {
    name: 'description',
    content:
      'Images, video, speech and text from paid models. Submit, close the tab, come back to the result.',
  },
];

export function loader({ context }: LoaderFunctionArgs) {
  return { signedIn: context.user !== null };
}

const PROMISES = [
  {
    title: 'Close the tab',
    text: 'A task lives on the server from the moment it is accepted. What you see here is a window on it, not its engine.',
  },
  {
    title: 'One job, once',
    text: 'At most one upstream job per dispatch. When nobody can know whether one was started, Sidelane says so and stops.',
  },
  {
    title: 'Pay for what arrived',
    text: 'Credits are set aside, then charged for stored results only. The rest comes back by itself, and the ledger shows it.',
  },
] as const;

export default function Landing() {
  const { signedIn } = useLoaderData<typeof loader>();
  return (
    <div className={classes.root}>
      <section className={classes.hero}>
        <p className={classes.edge}>Image · Video · Audio · Text</p>
        <h1 className={classes.title}>
          Press the shutter.
          <br />
          Leave the darkroom.
        </h1>
        <p className={classes.lead}>
          Sidelane sends your prompt to a paid model, waits for as long as it takes, and keeps what comes
          back. You need not stay.
        </p>
        <Group gap="sm">
          <Button
            component={Link}
            to={signedIn ? '/workbench' : '/signup'}
            size="md"
            rightSection={<ArrowRight size={18} aria-hidden="true" />}
          >
            {signedIn ? 'Open the workbench' : 'Create an account'}
          </Button>
          {signedIn ? null : (
            <Button component={Link} to="/login" size="md" variant="default">
              Sign in
            </Button>
          )}
        </Group>
      </section>
      <div className={classes.strip}>
        <FilmStrip frames={13} />
      </div>
      <section className={classes.promises} aria-label="What Sidelane promises">
        {PROMISES.map(({ title, text }) => (
          <div key={title}>
            <h2 className={classes.promiseTitle}>{title}</h2>
            <p className={classes.promiseText}>{text}</p>
          </div>
        ))}
      </section>
      <SideLaneDiagram />
    </div>
  );
}
