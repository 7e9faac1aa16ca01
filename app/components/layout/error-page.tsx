import { Button, Group } from '@mantine/core';
import { isRouteErrorResponse, Link } from '@remix-run/react';
import classes from './error-page.module.css';

type Words = { title: string; text: string };

const WORDS: Record<number, Words> = {
  403: { title: 'Not for you', text: 'Your account may not do this.' },
  404: {
    title: 'This frame is empty',
    text: 'There is no such page, or it is not yours. The address may have a typing error.',
  },
  405: { title: 'Not this way', text: 'This address cannot be used like that.' },
  429: { title: 'Too fast', text: 'Wait a moment, then try again.' },
  503: {
    title: 'Out of reach',
    text: 'A part of Sidelane does not answer. Your tasks go on; try again in a minute.',
  },
};

const UNEXPECTED: Words = {
  title: 'Something went wrong on our side',
  text: 'Accepted tasks go on and nothing was charged twice. Try again; if it happens again, tell your administrator.',
};

/** What a route's error says to people: never a stack, never a message that no one wrote for them. */
export function wordsFor(error: unknown): Words & { status: number } {
  if (!isRouteErrorResponse(error)) return { status: 500, ...UNEXPECTED };
  const words =
    WORDS[error.status] ?? (error.status >= 500 ? UNEXPECTED : { title: 'That did not work', text: '' });
  const own =
    typeof error.data === 'string' && error.status < 500 && error.data.length <= 300 ? error.data : '';
  // Remix's own sentences start like this and are about its code.
  const useful = own !== '' && !own.startsWith('Error:');
  return { status: error.status, title: words.title, text: useful ? own : words.text || UNEXPECTED.text };
}

export function ErrorPage({ error }: { error: unknown }) {
  const { status, title, text } = wordsFor(error);
  return (
    <div className={classes.root}>
      <p className={classes.frame} aria-hidden="true">
        {status}
      </p>
      <h1 className={classes.title}>{title}</h1>
      <p className={classes.text}>{text}</p>
      <Group justify="center" mt="lg">
        <Button component={Link} to="/workbench">
          Go to the workbench
        </Button>
        <Button component={Link} to="." variant="default" reloadDocument>
          Try again
        </Button>
      </Group>
    </div>
  );
}
