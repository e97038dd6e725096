import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useRef, useState } from 'react';
import { api } from '../../api.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { useAct } from '../../parts/use-act.ts';
import { type ListingDraft, ListingFields, wishOf } from './listing-fields.tsx';
import type { OwnListing } from './own-listings.tsx';

type EditListingProps = { listing: OwnListing | undefined; onClose: () => void };

export const EditListing = ({ listing, onClose }: EditListingProps) => {
  // While it closes it still shows what it showed.
  const last = useRef(listing);
  if (listing) last.current = listing;
  const shown = listing ?? last.current;
  return (
    <Modal
      opened={listing !== undefined}
      onClose={onClose}
      title="Edit the listing"
      size="lg"
      centered
    >
      {shown && <Form key={shown.id} listing={shown} onClose={onClose} />}
    </Modal>
  );
};

type FormProps = { listing: OwnListing; onClose: () => void };

const Form = ({ listing, onClose }: FormProps) => {
  const { id, title, description, priceCents, published } = listing;
  const [draft, setDraft] = useState<ListingDraft>({
    ...{ title, description, published },
    price: priceCents / 100,
  });
  const wish = wishOf(draft);
  const save = useAct(
    (body: NonNullable<typeof wish>) => api.updateListing({ params: { id }, body }),
    {
      done: 'The listing is changed.',
      touches: [['listings']],
      onDone: onClose,
      isQuietOnError: true,
    },
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (wish) save.mutate(wish);
      }}
    >
      <Stack gap="md">
        <ListingFields draft={draft} onChange={setDraft} error={save.error} />
        <Text size="sm" c="dimmed">
          Orders keep the price at which they were placed. Category and content stay what they are.
        </Text>
        {save.error && <ErrorNote error={save.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Leave it
          </Button>
          <Button type="submit" loading={save.isPending} disabled={!wish}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
};
