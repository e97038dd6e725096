import type { Entry } from '@holdfast/sdk';
import { Anchor, Box, Divider, Group, Modal, Stack, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useRef } from 'react';
import { Link } from 'react-router';
import { Moment } from '../../parts/moment.tsx';
import { Name } from '../../parts/name.tsx';
import { Picture } from '../../parts/picture.tsx';
import { useAccount } from '../../parts/use-account.ts';
import { BuyForm } from './buy-form.tsx';
import { CategoryBadge } from './category-badge.tsx';
import { categoryWords } from './market-words.ts';

type Listing = Entry<'listListings'>;
type ListingDetailsProps = { listing: Listing | undefined; onClose: () => void };

/** All there is to know about one, and how to get it. */
export const ListingDetails = ({ listing, onClose }: ListingDetailsProps) => {
  const isPhone = useMediaQuery('(max-width: 48em)');
  // While it closes it still shows what it showed.
  const last = useRef(listing);
  if (listing) last.current = listing;
  const shown = listing ?? last.current;
  return (
    <Modal
      opened={listing !== undefined}
      onClose={onClose}
      title={shown && <Name>{shown.title}</Name>}
      size="lg"
      fullScreen={isPhone}
      centered
    >
      {shown && <Details listing={shown} />}
    </Modal>
  );
};

const Details = ({ listing }: { listing: Listing }) => {
  const { data: account } = useAccount();
  const { description, category, seller, createdAt } = listing;
  return (
    <Stack gap="md">
      <Group gap="md">
        <CategoryBadge category={category} />
        <Group gap={6} wrap="nowrap" miw={0}>
          <Picture src={seller.avatar} size={24} />
          <Text size="sm">
            <Name>{seller.username}</Name>
          </Text>
        </Group>
        <Text size="sm" c="dimmed">
          Listed <Moment at={createdAt} />
        </Text>
      </Group>
      <Text size="sm" c="dimmed">
        {categoryWords[category].explanation}
      </Text>
      {description && (
        <Box mah={320} style={{ overflowY: 'auto', whiteSpace: 'pre-wrap' }} tabIndex={0}>
          <Text size="sm" component="div">
            <Name>{description}</Name>
          </Text>
        </Box>
      )}
      <Divider />
      {account?.id === seller.id ? <OwnNote /> : <BuyForm listing={listing} />}
    </Stack>
  );
};

const OwnNote = () => (
  <Text size="sm">
    You sell this yourself. Change it among{' '}
    <Anchor component={Link} to="/marketplace/selling" inherit underline="always">
      what you sell
    </Anchor>
    .
  </Text>
);
