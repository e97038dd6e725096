import { Badge, Button, Group } from '@mantine/core';
import { IconTag } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api } from '../../../api.ts';
import { type Column, PagedTable, usePageNumber } from '../../../components/list.tsx';
import { Empty, Section } from '../../../components/page.tsx';
import { useAction } from '../../../components/use-action.ts';
import { formatCount } from '../../../labels/format.ts';
import { formatPrice } from '../../../labels/marketplace.ts';
import { ownListingsQuery } from '../../../queries/marketplace.ts';
import { queryKeys } from '../../../queries/query-keys.ts';
import type { OwnListing } from '../../../queries/records.ts';
import { CategoryBadge, RowTitle } from '../category.tsx';
import { EditListing } from './listing-forms.tsx';

const columnsFor = (onEdit: (listing: OwnListing) => void): Column<OwnListing>[] => [
  {
    header: 'Listing',
    cell: ({ id, title, category }) => (
      <RowTitle to={`/marketplace/listings/${id}`} title={title} category={category} />
    ),
  },
  { header: 'Category', cell: ({ category }) => <CategoryBadge category={category} /> },
  {
    header: 'Price',
    cell: ({ priceCents, currency }) => formatPrice(priceCents, currency),
    isNumber: true,
  },
  { header: 'Sold', cell: ({ salesCount }) => formatCount(salesCount), isNumber: true },
  {
    header: 'Status',
    cell: ({ published }) => (
      <Badge color={published ? 'green' : 'gray'}>{published ? 'For sale' : 'Not for sale'}</Badge>
    ),
  },
  { header: '', cell: (listing) => <Actions listing={listing} onEdit={() => onEdit(listing)} /> },
];

export const OwnListings = ({ action }: { action: ReactNode }) => {
  const [edited, setEdited] = useState<OwnListing>();
  const listings = useQuery(ownListingsQuery(usePageNumber()));
  return (
    <>
      <PagedTable
        query={listings}
        height={240}
        caption="Your listings"
        columns={columnsFor(setEdited)}
        frame={(table) => <Section title="Your listings">{table}</Section>}
        empty={
          <Empty icon={IconTag} title="You sell nothing yet" action={action}>
            A backup of a server can become a template, without any member data. Designs, bots and
            services can be sold as well.
          </Empty>
        }
      />
      <EditListing listing={edited} onClose={() => setEdited(undefined)} />
    </>
  );
};

type ActionsProps = { listing: OwnListing; onEdit: () => void };

const Actions = ({ listing: { id, title, published }, onEdit }: ActionsProps) => {
  const change = useAction(
    (isPublished: boolean) =>
      api.updateListing({ params: { id }, body: { published: isPublished } }),
    {
      message: published ? 'It is no longer for sale. Orders continue.' : 'It is for sale.',
      invalidates: [queryKeys.listings],
    },
  );
  return (
    <Group gap="xs" justify="flex-end">
      <Button size="xs" variant="default" onClick={onEdit} aria-label={`Edit ${title}`}>
        Edit
      </Button>
      <Button
        size="xs"
        variant="default"
        loading={change.isPending}
        onClick={() => change.mutate(!published)}
        aria-label={`${published ? 'Stop selling' : 'Offer for sale'}: ${title}`}
      >
        {published ? 'Stop selling' : 'Offer for sale'}
      </Button>
    </Group>
  );
};
