import { Button } from '@mantine/core';

type RemoveButtonProps = {
  /** What it removes, for those who cannot see the row: "Delete the rule 203.0.113.0/24". */
  label: string;
  isPending: boolean;
  onRemove: () => void;
};

/** Deletes at once what can be brought back: the toast that follows has the way back. */
export const RemoveButton = ({ label, isPending, onRemove }: RemoveButtonProps) => (
  <Button
    variant="light"
    color="red"
    size="xs"
    loading={isPending}
    onClick={onRemove}
    aria-label={label}
  >
    {label.split(' ')[0]}
  </Button>
);
