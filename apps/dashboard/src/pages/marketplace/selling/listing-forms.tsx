import type { ListingCategory } from '@holdfast/contract';
import { Modal, NumberInput, Switch, Text, Textarea, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { api } from '../../../api.ts';
import { ApiForm, useApiForm } from '../../../components/form.tsx';
import { PictureField } from '../../../components/picture-field.tsx';
import { RadioList } from '../../../components/select.tsx';
import { useLast } from '../../../components/use-action.ts';
import { marketCurrency } from '../../../labels/format.ts';
import { categories, categoryLabels, parseCents } from '../../../labels/marketplace.ts';
import { queryKeys } from '../../../queries/query-keys.ts';
import type { OwnListing } from '../../../queries/records.ts';
import type { Picture } from '../../../upload-picture.ts';
import { TemplateSource } from './template-source.tsx';

type CreateListingProps = { opened: boolean; onClose: () => void };

export const CreateListing = ({ opened, onClose }: CreateListingProps) => (
  <Modal opened={opened} onClose={onClose} title="Sell something" size="lg" centered>
    {opened && <CreateForm onClose={onClose} />}
  </Modal>
);

type ListingValues = {
  title: string;
  description: string;
  price: number | string;
  published: boolean;
  image: Picture | null;
};

/** What the API gets of a form that is complete, which the button waits for. */
const listingOf = ({ title, description, price, published, image }: ListingValues) => ({
  title: title.trim(),
  description: description.trim(),
  priceCents: parseCents(price) ?? 0,
  published,
  imageUploadId: image?.id ?? null,
});

const isComplete = ({ title, price }: ListingValues): boolean =>
  parseCents(price) !== undefined && title.trim() !== '';

const fieldNames = { priceCents: 'price', imageUploadId: 'image' };

type NewListingValues = ListingValues & { category: ListingCategory; backupId: string };

const emptyListing: NewListingValues = {
  ...{ category: 'TEMPLATE', backupId: '' },
  ...{ title: '', description: '', price: '', published: true, image: null },
};

const CreateForm = ({ onClose }: Pick<CreateListingProps, 'onClose'>) => {
  const form = useApiForm(
    emptyListing,
    ({ category, backupId, ...values }) => {
      const listing = { ...listingOf(values), category, currency: marketCurrency };
      return api.createListing({
        body: category === 'TEMPLATE' ? { ...listing, backupId } : listing,
      });
    },
    {
      fieldNames,
      message: ({ title }) => `“${title}” is among your listings.`,
      invalidates: [queryKeys.listings],
      onSuccess: onClose,
    },
  );
  const { category, backupId } = form.values;
  const isTemplate = category === 'TEMPLATE';
  return (
    <ApiForm
      form={form}
      label={isTemplate ? 'Check it and list it' : 'List it'}
      isReady={isComplete(form.values) && (!isTemplate || backupId !== '')}
      onCancel={onClose}
    >
      <RadioList
        label="Category"
        options={categories.map((value) => ({
          value,
          label: categoryLabels[value].label,
          description: categoryLabels[value].explanation,
        }))}
        value={category}
        onChange={(chosen) => form.setFieldValue('category', chosen)}
      />
      {isTemplate && (
        <TemplateSource
          value={backupId}
          onChange={(id) => form.setFieldValue('backupId', id)}
          error={form.errors.backupId}
        />
      )}
      <ListingFields form={form} />
    </ApiForm>
  );
};

type EditListingProps = { listing: OwnListing | undefined; onClose: () => void };

export const EditListing = ({ listing, onClose }: EditListingProps) => {
  const shown = useLast(listing);
  return (
    <Modal
      opened={listing !== undefined}
      onClose={onClose}
      title="Edit the listing"
      size="lg"
      centered
    >
      {shown && <EditForm key={shown.id} listing={shown} onClose={onClose} />}
    </Modal>
  );
};

const EditForm = ({ listing, onClose }: { listing: OwnListing; onClose: () => void }) => {
  const { id, title, description, priceCents, published } = listing;
  const form = useApiForm<ListingValues>(
    { title, description, published, price: priceCents / 100, image: pictureOf(listing) },
    (values) => api.updateListing({ params: { id }, body: listingOf(values) }),
    {
      fieldNames,
      message: 'The listing is changed.',
      invalidates: [queryKeys.listings],
      onSuccess: onClose,
    },
  );
  return (
    <ApiForm form={form} label="Save" isReady={isComplete(form.values)} onCancel={onClose}>
      <ListingFields form={form} />
      <Text size="sm" c="dimmed">
        Orders keep the price at which they were placed. Category and content cannot be changed.
      </Text>
    </ApiForm>
  );
};

const pictureOf = ({ imageUploadId: id, imageUrl: url }: OwnListing): Picture | null =>
  id !== null && url !== null ? { id, url } : null;

type ListingForm = Pick<
  UseFormReturnType<ListingValues>,
  'getInputProps' | 'setFieldValue' | 'values' | 'errors'
>;

/** The fields that listings of every category have. */
const ListingFields = ({ form }: { form: ListingForm }) => (
  <>
    <TextInput
      label="Title"
      maxLength={100}
      required
      data-autofocus
      {...form.getInputProps('title')}
    />
    <Textarea
      label="Description"
      description="Plain text, shown as you write it."
      maxLength={5000}
      autosize
      minRows={4}
      maxRows={12}
      {...form.getInputProps('description')}
    />
    <PictureField
      label="Picture"
      description="On its card and its page, in a wide format."
      picture={form.values.image}
      onChange={(image) => form.setFieldValue('image', image)}
      error={form.errors.image}
    />
    <NumberInput
      label={`Price in ${marketCurrency}`}
      description="0 gives it away."
      min={0}
      decimalScale={2}
      hideControls
      maw={200}
      required
      {...form.getInputProps('price')}
    />
    <Switch
      label="For sale"
      description="Listed, and can be ordered by everybody."
      {...form.getInputProps('published', { type: 'checkbox' })}
    />
  </>
);
