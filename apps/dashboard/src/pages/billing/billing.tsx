import { PageHead } from '../../parts/page-head.tsx';

export const Billing = () => <PageHead title="Billing" />;
