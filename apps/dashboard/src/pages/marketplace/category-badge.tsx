import type { ListingCategory } from '@holdfast/contract';
import { Badge } from '@mantine/core';
import { categoryWords } from './market-words.ts';

export const CategoryBadge = ({ category }: { category: ListingCategory }) => {
  const { label, icon: Sign } = categoryWords[category];
  return (
    <Badge variant="light" tt="none" leftSection={<Sign size={14} aria-hidden />}>
      {label}
    </Badge>
  );
};
