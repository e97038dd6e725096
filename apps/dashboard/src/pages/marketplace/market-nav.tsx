import type { ListingCategory } from '@holdfast/contract';
import { Badge, Button, Group } from '@mantine/core';
import { Link, useLocation } from 'react-router';
import { categoryLabels } from '../../labels/marketplace.ts';

const pages = [
  { to: '/marketplace', label: 'Browse' },
  { to: '/marketplace/orders', label: 'Orders' },
  { to: '/marketplace/selling', label: 'Selling' },
];

/** Links between the pages of the marketplace. */
export const MarketNav = () => {
  const { pathname } = useLocation();
  return (
    <Group component="nav" aria-label="Marketplace" gap="xs" mb="lg">
      {pages.map(({ to, label }) => {
        const isHere = pathname === to;
        return (
          <Button
            key={to}
            component={Link}
            to={to}
            size="sm"
            variant={isHere ? 'light' : 'subtle'}
            aria-current={isHere ? 'page' : undefined}
          >
            {label}
          </Button>
        );
      })}
    </Group>
  );
};

export const CategoryBadge = ({ category }: { category: ListingCategory }) => {
  const { label, icon: Glyph } = categoryLabels[category];
  return <Badge leftSection={<Glyph size={14} aria-hidden />}>{label}</Badge>;
};
