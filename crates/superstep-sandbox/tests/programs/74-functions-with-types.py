from typing import Dict, List, Optional
from openpyxl.worksheet.worksheet import Worksheet
def column_values(ws: Worksheet, letter: str, start: int = 2) -> List[float]:
    """Numbers of a column."""
    return [cell.value for cell in ws[letter][start - 1:] if isinstance(cell.value, (int, float))]
def main(limit: Optional[int] = None) -> Dict[str, float]:
    ws: Worksheet = workbook["Sales"]
    return {letter: sum(column_values(ws, letter)) for letter in "DE"}
if __name__ == "__main__":
    for at, (letter, total) in enumerate(main().items(), 1):
        workbook["Notes"].cell(at, 4, letter)
        workbook["Notes"].cell(at, 5, round(total, 2))
