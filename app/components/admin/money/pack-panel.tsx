import { Button, SimpleGrid } from '@mantine/core';
import { Link } from '@remix-run/react';
import { CheckboxField, SubmitButton, TextField } from '#app/components/ui/form-field.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { useT } from '#app/lib/language.tsx';
import { useZodForm } from '#app/lib/use-zod-form.ts';
import { adminMoneyTexts } from '#app/locales/admin-money.ts';
import type { AdminPackView } from '#server/orders/schemas.ts';
import { DeedForm } from './deed-form.tsx';
import { fromPack, packForm } from './pack-form-schema.ts';
import { useActionKey } from './use-action-key.ts';

const FIELDS = ['title', 'credits', 'price', 'currency', 'validDays', 'position', 'enabled'];

/** Adds a pack, or changes one. */
export function PackPanel({ pack, formKey }: { pack: AdminPackView | null; formKey: string }) {
  const t = useT(adminMoneyTexts);
  const key = useActionKey(formKey);
  const [form, fields] = useZodForm('save-pack', packForm, {
    defaultValue: pack ? fromPack(pack) : { enabled: true, position: 0 },
  });
  return (
    <Panel
      title={pack ? t('packs.changeOne', { title: pack.title }) : t('packs.add')}
      id="pack"
      description={t('packs.help')}
    >
      <DeedForm
        form={form}
        fields={FIELDS}
        intent="save-pack"
        values={pack ? { packId: pack.id } : { key }}
        label={pack ? t('packs.change') : t('packs.add')}
        buttons={
          <>
            <SubmitButton name="button" value="save-pack">
              {pack ? t('packs.save') : t('packs.addIt')}
            </SubmitButton>
            {pack ? (
              <Button component={Link} to="/admin/packs" variant="default">
                {t('back')}
              </Button>
            ) : null}
          </>
        }
      >
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextField
            field={fields.title}
            label={t('packs.name')}
            description={t('packs.nameHelp')}
            autoComplete="off"
          />
          <TextField field={fields.credits} type="number" label={t('orders.credits')} autoComplete="off" />
          <TextField
            field={fields.price}
            label={t('orders.price')}
            description={t('packs.priceHelp')}
            inputMode="decimal"
            autoComplete="off"
          />
          <TextField
            field={fields.currency}
            label={t('packs.currency')}
            description={t('packs.currencyHelp')}
            autoComplete="off"
            maxLength={3}
          />
          <TextField
            field={fields.validDays}
            type="number"
            label={t('adjust.days')}
            description={t('packs.daysHelp')}
            autoComplete="off"
          />
          <TextField
            field={fields.position}
            type="number"
            label={t('packs.position')}
            description={t('packs.positionHelp')}
            autoComplete="off"
          />
        </SimpleGrid>
        <CheckboxField field={fields.enabled} label={t('packs.onSale')} />
      </DeedForm>
    </Panel>
  );
}
