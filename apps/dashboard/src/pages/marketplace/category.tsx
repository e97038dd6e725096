import type { ListingCategory } from '@holdfast/contract';
import { Anchor, Badge, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { Name } from '../../components/display.tsx';
import { categoryLabels } from '../../labels/marketplace.ts';

/** Without its sign, which is on the cover or before the title. */
export const CategoryBadge = ({ category }: { category: ListingCategory }) => (
  <Badge>{categoryLabels[category].label}</Badge>
);

type RowTitleProps = {
  to: string;
  title: string;
  category: ListingCategory;
  /** After the title. */
  children?: ReactNode;
};

/** The title of a listing or an order in a table, after the sign of its category. */
export const RowTitle = ({ to, title, category, children }: RowTitleProps) => {
  const { icon: Glyph, label } = categoryLabels[category];
  return (
    <Group gap="xs" wrap="nowrap" align="flex-start" miw={0}>
      <Glyph
        size={20}
        stroke={1.6}
        role="img"
        aria-label={label}
        color="var(--mantine-color-dimmed)"
        style={{ flex: 'none', marginTop: 2 }}
      />
      <div>
        <Anchor component={Link} to={to} fw={600}>
          <Name>{title}</Name>
        </Anchor>
        {children}
      </div>
    </Group>
  );
};
