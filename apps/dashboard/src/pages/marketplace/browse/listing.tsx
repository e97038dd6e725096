import {
  Badge,
  Box,
  Button,
  Divider,
  Group,
  Modal,
  Paper,
  Stack,
  Text,
  Title,
} from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Moment, Name, Picture } from '../../../components/display.tsx';
import { TextLink } from '../../../components/page.tsx';
import { useLast } from '../../../components/use-action.ts';
import { formatCount } from '../../../labels/format.ts';
import { categoryLabels, formatPrice } from '../../../labels/marketplace.ts';
import { accountQuery } from '../../../queries/account.ts';
import type { Listing } from '../../../queries/records.ts';
import { CategoryBadge } from '../market-nav.tsx';
import { BuyForm } from './buy-form.tsx';

type ListingCardProps = { listing: Listing; onOpen: () => void };

export const ListingCard = ({ listing, onOpen }: ListingCardProps) => {
  const { data: account } = useQuery(accountQuery);
  const { title, description, category, priceCents, currency, seller, salesCount } = listing;
  const isOwn = account?.id === seller.id;
  return (
    <Paper withBorder p="lg" component="article" miw={0}>
      <Stack gap="sm" h="100%">
        <Group gap="xs">
          <CategoryBadge category={category} />
          {isOwn && <Badge variant="outline">Yours</Badge>}
        </Group>
        <Title order={2} size="h4" lineClamp={2}>
          <Name>{title}</Name>
        </Title>
        <Text size="sm" c="dimmed" lineClamp={3} flex={1}>
          {description ? <Name>{description}</Name> : 'No description.'}
        </Text>
        <Group gap="xs" wrap="nowrap">
          <Picture src={seller.avatar} size={24} />
          <Text size="sm" truncate>
            <Name>{seller.username}</Name>
          </Text>
        </Group>
        <Group justify="space-between" wrap="nowrap">
          <Stack gap={0}>
            <Text fw={650} size="lg" className="holdfast-number">
              {formatPrice(priceCents, currency)}
            </Text>
            <Text size="xs" c="dimmed" className="holdfast-number">
              {salesLabel(salesCount)}
            </Text>
          </Stack>
          <Button
            variant={isOwn ? 'default' : 'light'}
            onClick={onOpen}
            aria-label={`Details of ${title}`}
          >
            Details
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
};

const salesLabel = (count: number): string => {
  if (count === 0) return 'Not sold yet';
  return count === 1 ? 'Sold once' : `Sold ${formatCount(count)} times`;
};

type ListingDetailsProps = { listing: Listing | undefined; onClose: () => void };

/** A listing in full, and how to buy it. */
export const ListingDetails = ({ listing, onClose }: ListingDetailsProps) => {
  const isPhone = useMediaQuery('(max-width: 48em)');
  const shown = useLast(listing);
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
  const { data: account } = useQuery(accountQuery);
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
        {categoryLabels[category].explanation}
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
    This is your own listing. Change it in{' '}
    <TextLink to="/marketplace/selling">your listings</TextLink>.
  </Text>
);
