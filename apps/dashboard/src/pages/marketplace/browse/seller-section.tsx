import { Group, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Name, Picture } from '../../../components/display.tsx';
import { Section, TextLink } from '../../../components/page.tsx';
import { formatCount, formatMonth } from '../../../labels/format.ts';
import { soldLabel } from '../../../labels/marketplace.ts';
import { sellerQuery } from '../../../queries/marketplace.ts';
import type { Listing } from '../../../queries/records.ts';

/** Beside a listing: from whom it is bought. */
export const SellerSection = ({ seller }: { seller: Listing['seller'] }) => {
  const { data: found } = useQuery(sellerQuery(seller.id));
  return (
    <Section title="Seller">
      <Group gap="sm" wrap="nowrap" miw={0}>
        <Picture src={seller.avatar} size={44} />
        <Stack gap={2} miw={0}>
          <Text fw={600}>
            <TextLink to={`/marketplace/sellers/${seller.id}`}>
              <Name>{seller.username}</Name>
            </TextLink>
          </Text>
          {found ? (
            <Text size="sm" c="dimmed" className="holdfast-number">
              Selling since {formatMonth(found.sellingSince)}
              <br />
              {soldLabel(found.completedOrders)} · {formatCount(found.listings)} for sale
            </Text>
          ) : (
            <Skeleton height={44} width={180} />
          )}
        </Stack>
      </Group>
    </Section>
  );
};
