import { Badge, Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { Name, Picture } from '../../../components/display.tsx';
import { formatPrice, salesLabel } from '../../../labels/marketplace.ts';
import { accountQuery } from '../../../queries/account.ts';
import type { Listing } from '../../../queries/records.ts';
import { CategoryBadge } from '../category.tsx';
import classes from './listing-card.module.css';
import { ListingCover } from './listing-cover.tsx';

type ListingGridProps = {
  listings: Listing[];
  /** Under a heading that names the seller. */
  isOfOneSeller?: boolean;
};

export const ListingGrid = ({ listings, isOfOneSeller = false }: ListingGridProps) => (
  <SimpleGrid cols={{ base: 1, xs: 2, lg: 3 }} spacing="lg">
    {listings.map((listing) => (
      <ListingCard key={listing.id} listing={listing} isOfOneSeller={isOfOneSeller} />
    ))}
  </SimpleGrid>
);

type ListingCardProps = { listing: Listing; isOfOneSeller: boolean };

/** One link, which covers the card. */
const ListingCard = ({ listing, isOfOneSeller }: ListingCardProps) => {
  const { data: account } = useQuery(accountQuery);
  const { id, title, description, category, priceCents, currency, seller } = listing;
  return (
    <Paper withBorder component="article" className={classes.card}>
      <ListingCover listing={listing} />
      <Stack gap="xs" p="md" flex={1}>
        <Group gap="xs">
          <CategoryBadge category={category} />
          {account?.id === seller.id && <Badge variant="outline">Yours</Badge>}
        </Group>
        <Title order={isOfOneSeller ? 3 : 2} size="h4" lineClamp={2}>
          <Link to={`/marketplace/listings/${id}`} className={classes.link}>
            <Name>{title}</Name>
          </Link>
        </Title>
        <Text size="sm" c="dimmed" lineClamp={2} flex={1}>
          {description ? <Name>{description}</Name> : 'No description.'}
        </Text>
        {!isOfOneSeller && (
          <Group gap="xs" wrap="nowrap">
            <Picture src={seller.avatar} size={24} />
            <Text size="sm" truncate>
              <Name>{seller.username}</Name>
            </Text>
          </Group>
        )}
        <Group justify="space-between" align="baseline" gap="xs">
          <Text fw={650} size="lg" className="holdfast-number">
            {formatPrice(priceCents, currency)}
          </Text>
          <Text size="sm" c="dimmed" className="holdfast-number">
            {salesLabel(listing)}
          </Text>
        </Group>
      </Stack>
    </Paper>
  );
};
