import { Checkbox, type CheckboxProps } from '@mantine/core';
import type { MemberSelection } from './use-selection.ts';

type SelectAllProps = { selection: MemberSelection } & Pick<
  CheckboxProps,
  'label' | 'visibleFrom' | 'hiddenFrom'
>;

/** In the table's header; on a phone, which shows none, above the cards. */
export const SelectAll = ({ selection, ...checkbox }: SelectAllProps) => (
  <Checkbox
    aria-label="Select all on this page"
    checked={selection.isAll}
    indeterminate={selection.members.length > 0 && !selection.isAll}
    onChange={({ currentTarget }) => selection.toggleAll(currentTarget.checked)}
    {...checkbox}
  />
);
