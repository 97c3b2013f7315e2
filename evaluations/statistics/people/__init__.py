"""What labels of people say: how well two judges of answers agree, and means that a judge makes narrower."""
