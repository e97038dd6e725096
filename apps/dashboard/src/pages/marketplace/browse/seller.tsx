import { Stack, Title } from '@mantine/core';
import { IconTagOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import { Picture } from '../../../components/display.tsx';
import { LoadedList, PageTurner, usePageNumber } from '../../../components/list.tsx';
import { Loaded } from '../../../components/loaded.tsx';
import { BackLink, Empty, PageHead, TextLink } from '../../../components/page.tsx';
import { isNotFound } from '../../../labels/errors.ts';
import { formatCount, formatMonth } from '../../../labels/format.ts';
import { soldLabel } from '../../../labels/marketplace.ts';
import { sellerListingsQuery, sellerQuery } from '../../../queries/marketplace.ts';
import type { Seller } from '../../../queries/records.ts';
import { HeldMoney } from './held-money.tsx';
import { ListingGrid } from './listing-card.tsx';

/** A seller as everybody sees them: what they sell, since when, and how much they have delivered. */
export const SellerPage = () => {
  const { sellerId = '' } = useParams();
  const seller = useQuery(sellerQuery(sellerId));
  return (
    <>
      <BackLink to="/marketplace">Marketplace</BackLink>
      {isNotFound(seller.error) ? (
        <NothingForSale />
      ) : (
        <Loaded query={seller} height={480}>
          {(found) => <Page seller={found} />}
        </Loaded>
      )}
    </>
  );
};

const NothingForSale = () => (
  <>
    <PageHead title="Nothing for sale" />
    <Empty icon={IconTagOff} title="This seller has nothing for sale">
      They have taken their listings off the market, or the address has a mistake in it.{' '}
      <TextLink to="/marketplace">See what others sell</TextLink>.
    </Empty>
  </>
);

const Page = ({ seller }: { seller: Seller }) => {
  const { id, username, avatar, sellingSince, completedOrders, listings } = seller;
  return (
    <>
      <PageHead
        title={username}
        description={`Selling since ${formatMonth(sellingSince)} · ${soldLabel(completedOrders)} · ${formatCount(listings)} for sale`}
        picture={<Picture src={avatar} size={64} />}
      />
      <Stack gap="lg">
        <HeldMoney>
          Your money is held until you have received what you ordered. Only then is the seller paid.
        </HeldMoney>
        <SellerListings sellerId={id} />
      </Stack>
    </>
  );
};

const SellerListings = ({ sellerId }: { sellerId: string }) => (
  <LoadedList
    query={useQuery(sellerListingsQuery(sellerId, usePageNumber()))}
    height={420}
    empty={
      <Empty icon={IconTagOff} title="You have nothing for sale">
        Nobody else sees this page until you do.{' '}
        <TextLink to="/marketplace/selling">Go to your listings</TextLink>.
      </Empty>
    }
  >
    {({ data, pagination }) => (
      <div>
        <Title order={2} size="h4" mb="md">
          For sale
        </Title>
        <ListingGrid listings={data} isOfOneSeller />
        <PageTurner pagination={pagination} />
      </div>
    )}
  </LoadedList>
);
