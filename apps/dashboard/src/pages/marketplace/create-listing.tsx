import type { ListingCategory } from '@holdfast/contract';
import type { Input } from '@holdfast/sdk';
import { Button, Group, Modal, Radio, Stack } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../api.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { marketCurrency } from '../../parts/market-currency.ts';
import { useAct } from '../../parts/use-act.ts';
import { emptyDraft, ListingFields, wishOf } from './listing-fields.tsx';
import { categories, categoryWords } from './market-words.ts';
import { TemplateSource } from './template-source.tsx';

type CreateListingProps = { opened: boolean; onClose: () => void };

export const CreateListing = ({ opened, onClose }: CreateListingProps) => (
  <Modal opened={opened} onClose={onClose} title="Sell something" size="lg" centered>
    {opened && <Form onClose={onClose} />}
  </Modal>
);

const Form = ({ onClose }: Pick<CreateListingProps, 'onClose'>) => {
  const [category, setCategory] = useState<ListingCategory>('TEMPLATE');
  const [backupId, setBackupId] = useState('');
  const [draft, setDraft] = useState(emptyDraft);
  const create = useAct((body: Input<'createListing'>['body']) => api.createListing({ body }), {
    done: ({ title }) => `“${title}” is among your listings.`,
    touches: [['listings']],
    onDone: onClose,
    isQuietOnError: true,
  });
  const wish = wishOf(draft);
  const isTemplate = category === 'TEMPLATE';
  const isReady = wish !== undefined && (!isTemplate || backupId !== '');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!isReady) return;
        const listing = { ...wish, category, currency: marketCurrency } as const;
        create.mutate(isTemplate ? { ...listing, backupId } : listing);
      }}
    >
      <Stack gap="md">
        <CategoryChoice value={category} onChange={setCategory} />
        {isTemplate && (
          <TemplateSource value={backupId} onChange={setBackupId} error={create.error} />
        )}
        <ListingFields draft={draft} onChange={setDraft} error={create.error} />
        {create.error && <ErrorNote error={create.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Leave it
          </Button>
          <Button type="submit" loading={create.isPending} disabled={!isReady}>
            {isTemplate ? 'Check it and list it' : 'List it'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
};

type CategoryChoiceProps = { value: ListingCategory; onChange: (value: ListingCategory) => void };

const CategoryChoice = ({ value, onChange }: CategoryChoiceProps) => (
  <Radio.Group
    label="What it is"
    value={value}
    onChange={(chosen) => onChange(categories.find((one) => one === chosen) ?? 'TEMPLATE')}
  >
    <Stack gap="xs" mt={4}>
      {categories.map((category) => (
        <Radio
          key={category}
          value={category}
          label={categoryWords[category].label}
          description={categoryWords[category].explanation}
        />
      ))}
    </Stack>
  </Radio.Group>
);
