import { getFormProps } from '@conform-to/react';
import { Form } from '@remix-run/react';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { runForm } from '#app/lib/form.ts';
import { useZodForm } from '#app/lib/use-zod-form.ts';
import { renderInApp } from '#app/testing/render.tsx';
import { AppError } from '#server/lib/app-error.ts';
import {
  CheckboxField,
  FormErrors,
  PasswordField,
  SelectField,
  SubmitButton,
  TextareaField,
  TextField,
} from './form-field.tsx';

const schema = z.object({
  email: z.string('Enter an e-mail address.'),
  password: z.string('Enter your password.').min(10, 'A password has at least 10 characters.'),
  kind: z.enum(['image', 'video']),
  note: z.string().default(''),
  agree: z.boolean().default(false),
});

function Example() {
  const [form, fields] = useZodForm('example', schema, { defaultValue: { kind: 'video' } });
  return (
    <Form method="post" {...getFormProps(form)}>
      <FormErrors form={form} />
      <TextField field={fields.email} type="email" label="E-mail" description="Yours." />
      <PasswordField field={fields.password} label="Password" autoComplete="new-password" />
      <SelectField field={fields.kind} label="Kind" options={['image', 'video']} />
      <TextareaField field={fields.note} label="Note" />
      <CheckboxField field={fields.agree} label="Agree" />
      <SubmitButton>Send</SubmitButton>
    </Form>
  );
}

/** A TRPCError by its shape, as the caller throws it. */
function refusal(cause: AppError, code: string) {
  return Object.assign(new Error(cause.message, { cause }), { name: 'TRPCError', code });
}

async function fillAndSend() {
  await userEvent.type(screen.getByLabelText(/E-mail/), 'ada@example.com');
  await userEvent.type(screen.getByLabelText(/^Password/), 'correct horse');
  await userEvent.click(screen.getByLabelText('Agree'));
  await userEvent.click(screen.getByRole('button', { name: 'Send' }));
}

function renderWith(run: (input: z.infer<typeof schema>) => Promise<unknown>) {
  renderInApp(<Example />, {
    action: async ({ request }) =>
      (await runForm(request, await request.formData(), {
        name: 'example',
        schema,
        secrets: ['password'],
        run,
      })) ?? null,
  });
}

describe('a form of fields', () => {
  it('ties labels, help and errors to the inputs, and does not send what does not fit', async () => {
    const run = vi.fn(async () => ({}));
    renderWith(run);
    await userEvent.type(screen.getByLabelText(/^Password/), 'short');
    await userEvent.click(screen.getByRole('button', { name: 'Send' }));
    const email = screen.getByLabelText(/E-mail/);
    expect(email).toHaveAccessibleDescription('Enter an e-mail address. Yours.');
    expect(email).toBeInvalid();
    expect(screen.getByText('A password has at least 10 characters.')).toBeVisible();
    expect(run).not.toHaveBeenCalled();
  });

  it('sends every kind of field', async () => {
    const run = vi.fn(async () => ({}));
    renderWith(run);
    await fillAndSend();
    expect(run).toHaveBeenCalledExactlyOnceWith({
      email: 'ada@example.com',
      password: 'correct horse',
      kind: 'video',
      note: '',
      agree: true,
    });
  });

  it('shows the procedure’s refusal beside the field that it names', async () => {
    const cause = new AppError('conflict', 'There is an account already.', { field: 'email' });
    renderWith(async () => {
      throw refusal(cause, 'CONFLICT');
    });
    await fillAndSend();
    expect(await screen.findByText('There is an account already.')).toBeVisible();
    expect(screen.getByLabelText(/E-mail/)).toHaveAccessibleDescription(
      'There is an account already. Yours.',
    );
    expect(screen.queryByRole('alert')).toBeNull();
  });

  it('shows any other refusal above the form, announced', async () => {
    renderWith(async () => {
      throw refusal(new AppError('too_many_requests', 'Too many tries. Wait a minute.'), 'TOO_MANY_REQUESTS');
    });
    await fillAndSend();
    expect(await screen.findByRole('alert')).toHaveTextContent('Too many tries. Wait a minute.');
  });
});
