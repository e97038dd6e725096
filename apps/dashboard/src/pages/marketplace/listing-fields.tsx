import { NumberInput, Switch, Textarea, TextInput } from '@mantine/core';
import { fieldError } from '../../parts/error-words.ts';
import { marketCurrency } from '../../parts/market-currency.ts';
import { centsIn } from './price.ts';

/** As they are typed. */
export type ListingDraft = {
  title: string;
  description: string;
  price: number | string;
  published: boolean;
};

export const emptyDraft: ListingDraft = {
  title: '',
  description: '',
  price: '',
  published: true,
};

/** What the service is told of it; undefined while it is not complete. */
export const wishOf = ({ title, description, price, published }: ListingDraft) => {
  const priceCents = centsIn(price);
  const trimmed = title.trim();
  if (priceCents === undefined || trimmed === '') return undefined;
  return { title: trimmed, description: description.trim(), priceCents, published };
};

type ListingFieldsProps = {
  draft: ListingDraft;
  onChange: (draft: ListingDraft) => void;
  error: unknown;
};

/** What can be said of a listing of any category. */
export const ListingFields = ({ draft, onChange, error }: ListingFieldsProps) => {
  const set = (changes: Partial<ListingDraft>) => onChange({ ...draft, ...changes });
  return (
    <>
      <TextInput
        label="Title"
        value={draft.title}
        onChange={(event) => set({ title: event.currentTarget.value })}
        maxLength={100}
        error={fieldError(error, 'title')}
        required
        data-autofocus
      />
      <Textarea
        label="Description"
        description="Plain text, shown as you write it."
        value={draft.description}
        onChange={(event) => set({ description: event.currentTarget.value })}
        maxLength={5000}
        error={fieldError(error, 'description')}
        autosize
        minRows={4}
        maxRows={12}
      />
      <NumberInput
        label={`Price in ${marketCurrency}`}
        description="0 gives it away."
        value={draft.price}
        onChange={(price) => set({ price })}
        min={0}
        decimalScale={2}
        hideControls
        maw={200}
        error={fieldError(error, 'priceCents')}
        required
      />
      <Switch
        label="For sale"
        description="Listed, and can be ordered by everybody."
        checked={draft.published}
        onChange={(event) => set({ published: event.currentTarget.checked })}
      />
    </>
  );
};
