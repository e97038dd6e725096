import type { Entry } from '@holdfast/sdk';
import { Badge, Button, Group, Text } from '@mantine/core';
import { IconTag } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api } from '../../api.ts';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Name } from '../../parts/name.tsx';
import { PageTurner, usePageNumber } from '../../parts/page-turner.tsx';
import { type Column, RecordTable } from '../../parts/record-table.tsx';
import { Section } from '../../parts/section.tsx';
import { useAct } from '../../parts/use-act.ts';
import { countWords } from '../../parts/words.ts';
import { CategoryBadge } from './category-badge.tsx';
import { EditListing } from './edit-listing.tsx';
import { priceWords } from './price.ts';

export type OwnListing = Entry<'listOwnListings'>;

const columnsFor = (onEdit: (listing: OwnListing) => void): Column<OwnListing>[] => [
  {
    header: 'Listing',
    cell: ({ title }) => (
      <Text span size="sm" fw={500}>
        <Name>{title}</Name>
      </Text>
    ),
  },
  { header: 'Category', cell: ({ category }) => <CategoryBadge category={category} /> },
  {
    header: 'Price',
    cell: ({ priceCents, currency }) => priceWords(priceCents, currency),
    isNumber: true,
  },
  { header: 'Sold', cell: ({ salesCount }) => countWords(salesCount), isNumber: true },
  { header: 'State', cell: ({ published }) => <PublishedBadge isPublished={published} /> },
  { header: '', cell: (listing) => <Acts listing={listing} onEdit={() => onEdit(listing)} /> },
];

export const OwnListings = ({ action }: { action: ReactNode }) => {
  const page = usePageNumber();
  const [edited, setEdited] = useState<OwnListing>();
  const listings = useQuery({
    queryKey: ['listings', 'own', page],
    queryFn: () => api.listOwnListings({ query: { page } }),
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  });
  return (
    <>
      <Loaded query={listings} height={240}>
        {({ data, pagination }) =>
          pagination.total === 0 ? (
            <Empty icon={IconTag} title="You sell nothing yet" action={action}>
              A backup of a server can become a template: everything about people stays out of it.
              Designs, bots and services can be sold as well.
            </Empty>
          ) : (
            <Section title="Your listings">
              <RecordTable caption="Your listings" columns={columnsFor(setEdited)} rows={data} />
              <PageTurner pagination={pagination} />
            </Section>
          )
        }
      </Loaded>
      <EditListing listing={edited} onClose={() => setEdited(undefined)} />
    </>
  );
};

const PublishedBadge = ({ isPublished }: { isPublished: boolean }) => (
  <Badge variant="light" color={isPublished ? 'green' : 'gray'} tt="none" autoContrast>
    {isPublished ? 'for sale' : 'not for sale'}
  </Badge>
);

type ActsProps = { listing: OwnListing; onEdit: () => void };

const Acts = ({ listing: { id, title, published }, onEdit }: ActsProps) => {
  const change = useAct(
    (isPublished: boolean) =>
      api.updateListing({ params: { id }, body: { published: isPublished } }),
    {
      done: published ? 'It is off the market. Orders go on.' : 'It is for sale.',
      touches: [['listings']],
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
        aria-label={`${published ? 'Take off the market' : 'Offer for sale'}: ${title}`}
      >
        {published ? 'Take off the market' : 'Offer for sale'}
      </Button>
    </Group>
  );
};
