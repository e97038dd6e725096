import type { Entry } from '@holdfast/sdk';
import { Badge, Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { Name } from '../../parts/name.tsx';
import { Picture } from '../../parts/picture.tsx';
import { useAccount } from '../../parts/use-account.ts';
import { countWords } from '../../parts/words.ts';
import { CategoryBadge } from './category-badge.tsx';
import { priceWords } from './price.ts';

type ListingCardProps = { listing: Entry<'listListings'>; onOpen: () => void };

export const ListingCard = ({ listing, onOpen }: ListingCardProps) => {
  const { data: account } = useAccount();
  const { title, description, category, priceCents, currency, seller, salesCount } = listing;
  const isOwn = account?.id === seller.id;
  return (
    <Paper withBorder p="lg" component="article" miw={0}>
      <Stack gap="sm" h="100%">
        <Group gap="xs">
          <CategoryBadge category={category} />
          {isOwn && (
            <Badge variant="outline" tt="none">
              Yours
            </Badge>
          )}
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
              {priceWords(priceCents, currency)}
            </Text>
            <Text size="xs" c="dimmed" className="holdfast-number">
              {soldWords(salesCount)}
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

const soldWords = (count: number): string => {
  if (count === 0) return 'Not sold yet';
  return count === 1 ? 'Sold once' : `Sold ${countWords(count)} times`;
};
