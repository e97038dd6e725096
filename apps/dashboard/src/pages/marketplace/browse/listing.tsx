import { Badge, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { IconTagOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import { Moment, Name, Picture } from '../../../components/display.tsx';
import { Loaded } from '../../../components/loaded.tsx';
import { BackLink, Empty, PageHead, Section, TextLink } from '../../../components/page.tsx';
import { isNotFound } from '../../../labels/errors.ts';
import { categoryLabels, formatPrice, salesLabel } from '../../../labels/marketplace.ts';
import { accountQuery } from '../../../queries/account.ts';
import { listingQuery } from '../../../queries/marketplace.ts';
import type { ShownListing } from '../../../queries/records.ts';
import { CategoryBadge } from '../category.tsx';
import { BuyForm } from './buy-form.tsx';
import { HowItWorks } from './how-it-works.tsx';
import classes from './listing.module.css';
import { ListingCover } from './listing-cover.tsx';
import { SellerSection } from './seller-section.tsx';
import { TemplateContents } from './template-contents.tsx';

/** A listing in full, and how to buy it. */
export const ListingPage = () => {
  const { listingId = '' } = useParams();
  const listing = useQuery(listingQuery(listingId));
  return (
    <>
      <BackLink to="/marketplace">Marketplace</BackLink>
      {isNotFound(listing.error) ? (
        <NotForSale />
      ) : (
        <Loaded query={listing} height={480}>
          {(found) => <Page listing={found} />}
        </Loaded>
      )}
    </>
  );
};

const NotForSale = () => (
  <>
    <PageHead title="Not for sale" />
    <Empty icon={IconTagOff} title="This listing is not for sale">
      Its seller has taken it off the market, or the address has a mistake in it.{' '}
      <TextLink to="/marketplace">See what is for sale</TextLink>.
    </Empty>
  </>
);

const Page = ({ listing }: { listing: ShownListing }) => (
  <>
    <PageHead title={listing.title} description={<Origin listing={listing} />} />
    <Stack gap="lg">
      <div className={classes.page}>
        <Paper withBorder style={{ overflow: 'hidden' }}>
          <ListingCover listing={listing} isWide />
          <Description listing={listing} />
        </Paper>
        <Stack gap="lg" className={classes.side}>
          <Offer listing={listing} />
          <SellerSection seller={listing.seller} />
        </Stack>
        <HowItWorks listing={listing} />
      </div>
      {listing.category === 'TEMPLATE' && <TemplateContents listingId={listing.id} />}
    </Stack>
  </>
);

const Origin = ({ listing: { seller, category, createdAt, published } }: ListingProps) => (
  <Group component="span" gap="sm" mt={4}>
    <CategoryBadge category={category} />
    {!published && <Badge color="gray">not for sale</Badge>}
    <Group component="span" gap={6} wrap="nowrap" miw={0}>
      <Picture src={seller.avatar} size={24} />
      <Text span size="sm">
        <TextLink to={`/marketplace/sellers/${seller.id}`}>
          <Name>{seller.username}</Name>
        </TextLink>
      </Text>
    </Group>
    <Text span size="sm">
      Listed <Moment at={createdAt} />
    </Text>
  </Group>
);

type ListingProps = { listing: ShownListing };

const Description = ({ listing: { description } }: ListingProps) => (
  <Stack component="section" p="lg" gap="xs" aria-labelledby="listing-description">
    <Title order={2} size="h4" id="listing-description">
      Description
    </Title>
    <Text
      c={description ? undefined : 'dimmed'}
      style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
    >
      {description ? <Name>{description}</Name> : 'The seller has written no description.'}
    </Text>
  </Stack>
);

const Offer = ({ listing }: ListingProps) => {
  const { data: account } = useQuery(accountQuery);
  const { category, priceCents, currency, seller } = listing;
  return (
    <Section
      title={<Price>{formatPrice(priceCents, currency)}</Price>}
      aside={<Sales listing={listing} />}
    >
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {categoryLabels[category].explanation}
        </Text>
        {account?.id === seller.id ? <OwnNote /> : <BuyForm listing={listing} />}
      </Stack>
    </Section>
  );
};

const Price = ({ children }: { children: string }) => (
  <Text span inherit fz="h2" className="holdfast-number">
    {children}
  </Text>
);

const Sales = ({ listing }: ListingProps) => (
  <Text size="sm" c="dimmed" className="holdfast-number">
    {salesLabel(listing)}
  </Text>
);

const OwnNote = () => (
  <Text size="sm">
    This is your own listing. Change it in{' '}
    <TextLink to="/marketplace/selling">your listings</TextLink>.
  </Text>
);
