import { ActionIcon, Button } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';

type RemoveButtonProps = {
  /** What it removes, for those who cannot see the row: "Delete the rule 203.0.113.0/24". */
  label: string;
  isPending: boolean;
  onRemove: () => void;
};

/** Deletes at once what can be brought back: the toast that follows has the way back. */
export const RemoveButton = ({ label, isPending, onRemove }: RemoveButtonProps) => {
  const button = { variant: 'subtle', color: 'red', loading: isPending, onClick: onRemove };
  return (
    <>
      <ActionIcon {...button} aria-label={label} title={label} visibleFrom="sm">
        <IconTrash size={18} stroke={1.6} aria-hidden />
      </ActionIcon>
      <Button {...button} aria-label={label} size="xs" hiddenFrom="sm">
        {label.split(' ')[0]}
      </Button>
    </>
  );
};
